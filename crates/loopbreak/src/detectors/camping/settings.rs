//! Options of `camping`.

use serde::{Deserialize, Serialize};

use crate::detectors::DetectorSettings;
use crate::settings::{Mode, Profile, SettingsChecks};

/// Options of the detector `camping`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct CampingSettings {
    /// `enforce` acts on findings, `observe` only reports them, `off` disables the detector.
    pub mode: Mode,
    /// Number of turns at one place that count as camping.
    #[cfg_attr(feature = "schema", schemars(range(min = 2, max = 50)))]
    pub threshold: u32,
    /// Number of recent turns in which the turns at one place are counted.
    #[cfg_attr(feature = "schema", schemars(range(min = 2, max = 50)))]
    pub window: u32,
    /// Change of the score of a proposal that returns to the place.
    #[cfg_attr(feature = "schema", schemars(range(min = -1.0, max = 0.0)))]
    pub return_penalty: f64,
}

impl Default for CampingSettings {
    fn default() -> Self {
        CampingSettings { mode: Mode::Enforce, threshold: 5, window: 10, return_penalty: -0.6 }
    }
}

impl DetectorSettings for CampingSettings {
    fn adjust_for(&mut self, profile: Profile) {
        // A coding agent has no places.
        if profile == Profile::Coding {
            self.mode = Mode::Off;
        }
    }

    fn check(&self, checks: &mut SettingsChecks) {
        checks.within("threshold", self.threshold, &(2..=50));
        checks.within("window", self.window, &(2..=50));
        checks.that(self.threshold <= self.window, "threshold", || {
            (
                format!("threshold ({}) can never be reached in a window of {}", self.threshold, self.window),
                "raise window or lower threshold".into(),
            )
        });
        checks.penalty("return_penalty", self.return_penalty);
    }
}
