//! Options of `cycle`.

use serde::{Deserialize, Serialize};

use crate::detectors::DetectorSettings;
use crate::detectors::repetition::RepeatedPeriod;
use crate::settings::{Mode, SettingsChecks};
use crate::verdict::Severity;

/// Options of the detector `cycle`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct CycleSettings {
    /// `enforce` acts on findings, `observe` only reports them, `off` disables the detector.
    pub mode: Mode,
    /// Longest cycle that is looked for, in calls.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 12)))]
    pub max_period: u32,
    /// Number of identical calls in a row that gives a warning. Longer cycles give one at half as many rounds.
    #[cfg_attr(feature = "schema", schemars(range(min = 2, max = 1000)))]
    pub warn_at: u32,
    /// Number of identical calls in a row that triggers an intervention. Cycles with a longer period trigger at half as
    /// many rounds, unless the run reports progress. 0 disables it.
    pub hard_at: u32,
}

impl Default for CycleSettings {
    fn default() -> Self {
        CycleSettings { mode: Mode::Enforce, max_period: 12, warn_at: 4, hard_at: 8 }
    }
}

impl DetectorSettings for CycleSettings {
    fn count_proposed_call(&mut self) {
        // If the warning and the intervention would coincide, the limit stays: nothing is refused without a warning.
        if self.hard_at > self.warn_at + 1 {
            self.hard_at -= 1;
        }
    }

    fn check(&self, checks: &mut SettingsChecks) {
        checks.within("max_period", self.max_period, &(1..=12));
        checks.warns_first(self.warn_at, self.hard_at);
    }
}

impl CycleSettings {
    /// Returns how bad a cycle is. `measured` says that the run reports progress.
    pub(super) fn severity(&self, round: RepeatedPeriod, measured: bool) -> Option<Severity> {
        // A longer period repeats more calls with every round, so half as many rounds are enough.
        let half = |limit: u32| if round.period == 1 { limit } else { limit.div_ceil(2) };
        let hard_at = if measured { self.hard_at } else { half(self.hard_at) };
        if self.hard_at > 0 && round.weighed >= hard_at {
            Some(Severity::Hard)
        } else {
            (round.weighed >= half(self.warn_at)).then_some(Severity::Warn)
        }
    }
}
