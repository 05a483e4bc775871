//! Options of `camping`.

use serde::{Deserialize, Serialize};

use crate::detectors::DetectorSettings;
use crate::detectors::repetition::GrowingPenalty;
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
    /// Change of `return_penalty` after every `growth_every` returns without progress; together they are at least -1. 0
    /// keeps the penalty as it is.
    #[cfg_attr(feature = "schema", schemars(range(min = -1.0, max = 0.0)))]
    pub penalty_growth: f64,
    /// Number of returns after which `return_penalty` changes by `penalty_growth`. Progress and a message of the user
    /// set the count back to 0.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1000)))]
    pub growth_every: u32,
}

impl Default for CampingSettings {
    fn default() -> Self {
        CampingSettings {
            mode: Mode::Enforce,
            threshold: 5,
            window: 10,
            return_penalty: -0.6,
            penalty_growth: 0.0,
            growth_every: 5,
        }
    }
}

impl CampingSettings {
    /// Returns the penalty for a return.
    pub(super) fn growing_penalty(&self) -> GrowingPenalty {
        GrowingPenalty { penalty: self.return_penalty, growth: self.penalty_growth, every: self.growth_every }
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
        checks.within("penalty_growth", self.penalty_growth, &(-1.0..=0.0));
        checks.within("growth_every", self.growth_every, &(1..=1000));
    }
}
