//! Options of `cycle`.

use serde::{Deserialize, Serialize};

use crate::detectors::repetition::RepeatedPeriod;
use crate::detectors::{DetectorSettings, StepContext};
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
    /// Number of identical calls in a row with identical results that gives a warning. If the log has no results, one
    /// more is needed. Longer cycles give a warning at half as many rounds.
    #[cfg_attr(feature = "schema", schemars(range(min = 2, max = 1000)))]
    pub warn_at: u32,
    /// Number of identical calls in a row that triggers an intervention. Cycles with a longer period trigger at half as
    /// many rounds, unless the run reports progress. It never triggers if the run reports a score, objectives or progress
    /// marks, because `stagnation` ends those runs. 0 disables it.
    pub hard_at: u32,
    /// Number of rounds through the same places in the same order that triggers an intervention, if the run has neither
    /// a score nor a critic. 0 disables it.
    pub circuit_hard_at: u32,
}

impl Default for CycleSettings {
    fn default() -> Self {
        CycleSettings { mode: Mode::Enforce, max_period: 12, warn_at: 3, hard_at: 8, circuit_hard_at: 12 }
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

/// Properties of the run that decide how bad a cycle is.
#[derive(Clone, Copy, Debug)]
pub(super) struct CycleRun {
    /// True if the run reports progress: a score, objectives, marks or places.
    pub(super) measured: bool,
    /// True if the run reports progress by more than places.
    pub(super) scored: bool,
    /// True if the calls of the cycle have logged results.
    pub(super) logged: bool,
}

impl CycleSettings {
    /// Returns how bad a cycle is.
    pub(super) fn severity(&self, round: RepeatedPeriod, run: CycleRun) -> Option<Severity> {
        // A longer period repeats more calls with every round, so half as many rounds are enough.
        let half = |limit: u32| if round.period == 1 { limit } else { limit.div_ceil(2) };
        let hard_at = if run.measured { self.hard_at } else { half(self.hard_at) };
        if self.hard_at > 0 && !run.scored && round.weighed >= hard_at {
            return Some(Severity::Hard);
        }
        // Without a logged result, one repeat more has to show that nothing changes.
        let unlogged = u32::from(round.period == 1 && !run.logged);
        (round.weighed >= half(self.warn_at) + unlogged).then_some(Severity::Warn)
    }

    /// Returns how bad it is to walk the same way this many times. Without a score and a critic, nothing else ends it.
    pub(super) fn severity_of_circuit(&self, rounds: u32, context: &StepContext<'_>) -> Severity {
        let hard = self.circuit_hard_at > 0 && rounds >= self.circuit_hard_at && context.is_unguided();
        if hard { Severity::Hard } else { Severity::Warn }
    }
}
