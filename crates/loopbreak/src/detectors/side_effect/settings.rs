//! Options of `side_effect`.

use serde::{Deserialize, Serialize};

use crate::detectors::DetectorSettings;
use crate::settings::{Mode, SettingsChecks};
use crate::verdict::Severity;

/// Options of the detector `side_effect`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SideEffectSettings {
    /// `enforce` acts on findings, `observe` only reports them, `off` disables the detector.
    pub mode: Mode,
    /// Number of times a call with a side effect is made on the same object that gives a warning.
    #[cfg_attr(feature = "schema", schemars(range(min = 2, max = 1000)))]
    pub warn_at: u32,
    /// Number of times that triggers an intervention. Where calls can be refused, this call is refused. 0 disables it.
    pub hard_at: u32,
}

impl Default for SideEffectSettings {
    fn default() -> Self {
        SideEffectSettings { mode: Mode::Enforce, warn_at: 2, hard_at: 4 }
    }
}

impl DetectorSettings for SideEffectSettings {
    fn count_proposed_call(&mut self) {
        // If the warning and the intervention would coincide, the limit stays: nothing is refused without a warning.
        if self.hard_at > self.warn_at + 1 {
            self.hard_at -= 1;
        }
    }

    fn check(&self, checks: &mut SettingsChecks) {
        checks.warns_first(self.warn_at, self.hard_at);
    }
}

impl SideEffectSettings {
    /// Returns how bad it is to act on an object this many times.
    pub(super) fn severity(&self, count: u32) -> Option<Severity> {
        if self.hard_at > 0 && count >= self.hard_at {
            Some(Severity::Hard)
        } else {
            (count >= self.warn_at).then_some(Severity::Warn)
        }
    }
}
