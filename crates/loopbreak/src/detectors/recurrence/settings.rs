//! Options of `recurrence`.

use serde::{Deserialize, Serialize};

use crate::detectors::DetectorSettings;
use crate::detectors::repetition::whole;
use crate::settings::{Mode, SettingsChecks};
use crate::verdict::Severity;

/// Options of the detector `recurrence`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RecurrenceSettings {
    /// `enforce` acts on findings, `observe` only reports them, `off` disables the detector.
    pub mode: Mode,
    /// Number of recent calls in which repeated calls are counted.
    #[cfg_attr(feature = "schema", schemars(range(min = 8, max = 60)))]
    pub window: u32,
    /// Number of repeated calls among them that gives a warning.
    #[cfg_attr(feature = "schema", schemars(range(min = 2, max = 1000)))]
    pub warn_at: u32,
    /// Number of repeated calls among them that triggers an intervention. It takes two and a half times as
    /// many if the run moves between places. It never triggers if the run reports a score, objectives or
    /// progress marks, because `stagnation` judges those runs. 0 disables it.
    pub hard_at: u32,
    /// Number of times one call has to return within the window to give a warning. One return less is enough if the
    /// results are logged and the returns lie within eight turns. It takes twice as many if the run reports progress.
    #[cfg_attr(feature = "schema", schemars(range(min = 2, max = 1000)))]
    pub again_warn_at: u32,
    /// Number of times one call has to return to trigger an intervention. It never triggers if the run
    /// reports progress. 0 disables it.
    pub again_hard_at: u32,
}

impl Default for RecurrenceSettings {
    fn default() -> Self {
        RecurrenceSettings {
            mode: Mode::Enforce,
            window: 30,
            warn_at: 6,
            hard_at: 8,
            again_warn_at: 4,
            again_hard_at: 8,
        }
    }
}

impl DetectorSettings for RecurrenceSettings {
    fn count_proposed_call(&mut self) {
        // If the warning and the intervention would coincide, the limit stays: nothing is refused without a warning.
        if self.again_hard_at > self.again_warn_at + 1 {
            self.again_hard_at -= 1;
        }
    }

    fn check(&self, checks: &mut SettingsChecks) {
        checks.within("window", self.window, &(8..=60));
        checks.warns_first(self.warn_at, self.hard_at);
        checks.warns_first_by(("again_warn_at", self.again_warn_at), ("again_hard_at", self.again_hard_at));
    }
}

impl RecurrenceSettings {
    /// Returns how bad it is that one call returned with this weight. `measured` says that the run reports progress.
    ///
    /// `close` says that the results are logged and that few calls lie between the returns. Then one return less is
    /// enough for a warning.
    pub(super) fn again(&self, weight: u32, measured: bool, close: bool) -> Option<Severity> {
        if !measured && self.again_hard_at > 0 && weight >= whole(self.again_hard_at) {
            return Some(Severity::Hard);
        }
        let warn_at = match (measured, close) {
            (true, _) => 2 * self.again_warn_at,
            (false, true) => self.again_warn_at.saturating_sub(1).max(2),
            (false, false) => self.again_warn_at,
        };
        (weight >= whole(warn_at)).then_some(Severity::Warn)
    }
}
