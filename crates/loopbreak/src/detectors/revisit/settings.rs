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
    /// Number of visits to a place that make it a dead end, if none of them led to progress. The agent gets a hint, once per
    /// place. 0 disables it.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1000)))]
    pub dead_end_at: u32,
    /// Number of turns after a visit in which progress still counts for the place. A new place that is found within them
    /// sets its count back to 0.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 50)))]
    pub dead_end_reach: u32,
}

impl Default for RevisitSettings {
    fn default() -> Self {
        RevisitSettings {
            mode: Mode::Enforce,
            window: 5,
            history: 20,
            penalty: -0.2,
            max_penalty: -0.6,
            dead_end_at: 8,
            dead_end_reach: 10,
        }
    }
}

impl DetectorSettings for RevisitSettings {
    fn adjust_for(&mut self, profile: Profile) {
        // A coding agent has no places.
        if profile == Profile::Coding {
            self.mode = Mode::Off;
        }
        if profile == Profile::Documents {
            // An idea of the documents, not one of their rules.
            self.dead_end_at = 0;
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
        checks.that(self.dead_end_at == 0 || (3..=1000).contains(&self.dead_end_at), "dead_end_at", || {
            let message = format!("{} is out of range", self.dead_end_at);
            (message, "give a value from 3 to 1000, or 0 to disable it".into())
        });
        checks.within("dead_end_reach", self.dead_end_reach, &(1..=50));
    }
}
