//! Options of `revisit`.

use serde::{Deserialize, Serialize};

use crate::detectors::DetectorSettings;
use crate::settings::{Mode, Profile, SettingsChecks};

/// Options of the detector `revisit`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RevisitSettings {
    /// `enforce` acts on findings, `observe` only reports them, `off` disables the detector.
    pub mode: Mode,
    /// Number of recent places. A return to one of them is a revisit.
    #[cfg_attr(feature = "schema", schemars(range(min = 2, max = 20)))]
    pub window: u32,
    /// Number of recent places that are remembered.
    #[cfg_attr(feature = "schema", schemars(range(min = 2, max = 50)))]
    pub history: u32,
    /// Change of a proposal's score for each recent visit of the place it leads to.
    #[cfg_attr(feature = "schema", schemars(range(min = -1.0, max = 0.0)))]
    pub penalty: f64,
    /// Largest change of a proposal's score for all visits together.
    #[cfg_attr(feature = "schema", schemars(range(min = -1.0, max = 0.0)))]
    pub max_penalty: f64,
}

impl Default for RevisitSettings {
    fn default() -> Self {
        RevisitSettings { mode: Mode::Enforce, window: 5, history: 20, penalty: -0.2, max_penalty: -0.6 }
    }
}

impl DetectorSettings for RevisitSettings {
    fn adjust_for(&mut self, profile: Profile) {
        // A coding agent has no places.
        if profile == Profile::Coding {
            self.mode = Mode::Off;
        }
    }

    fn check(&self, checks: &mut SettingsChecks) {
        checks.within("window", self.window, &(2..=20));
        checks.within("history", self.history, &(2..=50));
        checks.that(self.window <= self.history, "window", || {
            (
                format!("window ({}) must not exceed history ({})", self.window, self.history),
                "raise history or lower window".into(),
            )
        });
        checks.penalty("penalty", self.penalty);
        checks.penalty("max_penalty", self.max_penalty);
    }
}
