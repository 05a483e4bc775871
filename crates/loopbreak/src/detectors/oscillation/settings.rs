//! Options of `oscillation`.

use serde::{Deserialize, Serialize};

use crate::detectors::DetectorSettings;
use crate::detectors::repetition::GrowingPenalty;
use crate::settings::{Mode, Profile, SettingsChecks};

/// Options of the detector `oscillation`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct OscillationSettings {
    /// `enforce` acts on findings, `observe` only reports them, `off` disables the detector.
    pub mode: Mode,
    /// Change of the score of a proposal that returns to one of the two places.
    #[cfg_attr(feature = "schema", schemars(range(min = -1.0, max = 0.0)))]
    pub return_penalty: f64,
    /// Change of the score of a proposal that leads to a known place outside the pattern.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0, max = 1.0)))]
    pub exploration_bonus: f64,
    /// Number of rounds between the two places that triggers an intervention, if the run has neither a score nor a
    /// critic. 0 disables it.
    pub hard_at: u32,
    /// Remember the two places until there is progress: a proposal that begins to move back and forth between them again
    /// changes by `return_penalty` at once.
    pub remember_pairs: bool,
    /// Change of `return_penalty` after every `growth_every` returns without progress; together they are at least -1. 0
    /// keeps the penalty as it is.
    #[cfg_attr(feature = "schema", schemars(range(min = -1.0, max = 0.0)))]
    pub penalty_growth: f64,
    /// Number of returns after which `return_penalty` changes by `penalty_growth`. Progress and a message of the user
    /// set the count back to 0.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1000)))]
    pub growth_every: u32,
}

impl Default for OscillationSettings {
    fn default() -> Self {
        OscillationSettings {
            mode: Mode::Enforce,
            return_penalty: -0.8,
            exploration_bonus: 0.5,
            hard_at: 12,
            remember_pairs: true,
            penalty_growth: 0.0,
            growth_every: 5,
        }
    }
}

impl OscillationSettings {
    /// Returns the penalty for a return.
    pub(super) fn growing_penalty(&self) -> GrowingPenalty {
        GrowingPenalty { penalty: self.return_penalty, growth: self.penalty_growth, every: self.growth_every }
    }
}

impl DetectorSettings for OscillationSettings {
    fn adjust_for(&mut self, profile: Profile) {
        // A coding agent has no places.
        if profile == Profile::Coding {
            self.mode = Mode::Off;
        }
        if profile == Profile::Documents {
            self.hard_at = 0;
            // The documents know only the pattern itself.
            self.remember_pairs = false;
        }
    }

    fn check(&self, checks: &mut SettingsChecks) {
        checks.penalty("return_penalty", self.return_penalty);
        checks.within("exploration_bonus", self.exploration_bonus, &(0.0..=1.0));
        checks.within("penalty_growth", self.penalty_growth, &(-1.0..=0.0));
        checks.within("growth_every", self.growth_every, &(1..=1000));
    }
}
