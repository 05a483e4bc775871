//! Options of `drift`.

use serde::{Deserialize, Serialize};

use crate::detectors::DetectorSettings;
use crate::detectors::repetition::whole;
use crate::settings::{Mode, SettingsChecks};
use crate::verdict::Severity;

/// Options of the detector `drift`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct DriftSettings {
    /// `enforce` acts on findings, `observe` only reports them, `off` disables the detector.
    pub mode: Mode,
    /// Number of identical failures, or of similar searches, that gives a warning. If only an amount grows
    /// from call to call, it takes one and a half times as many calls. If there is an edit before each
    /// failure, it takes twice as many.
    #[cfg_attr(feature = "schema", schemars(range(min = 2, max = 1000)))]
    pub warn_at: u32,
    /// Number of identical failures that triggers an intervention. If only an amount grows from call to call,
    /// it takes one and a half times as many calls. Similar searches, and failures with edits between them, take twice
    /// as many. 0 disables it.
    pub hard_at: u32,
    /// Fraction of words that two searches must share to count as the same question, from 0 to 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.3, max = 1.0)))]
    pub likeness: f64,
}

impl Default for DriftSettings {
    fn default() -> Self {
        DriftSettings { mode: Mode::Enforce, warn_at: 4, hard_at: 8, likeness: 0.6 }
    }
}

impl DetectorSettings for DriftSettings {
    fn check(&self, checks: &mut SettingsChecks) {
        checks.warns_first(self.warn_at, self.hard_at);
        checks.within("likeness", self.likeness, &(0.3..=1.0));
    }
}

impl DriftSettings {
    /// Returns how bad it is that one failure remains after edits, by the weight of the failures.
    pub(super) fn severity_of_vain_edits(&self, weight: u32) -> Option<Severity> {
        if self.hard_at > 0 && weight >= whole(2 * self.hard_at) {
            Some(Severity::Hard)
        } else {
            (weight >= whole(2 * self.warn_at)).then_some(Severity::Warn)
        }
    }

    /// Returns how bad repeats of this weight are.
    pub(super) fn severity(&self, weight: u32) -> Option<Severity> {
        if self.hard_at > 0 && weight >= whole(self.hard_at) {
            Some(Severity::Hard)
        } else {
            (weight >= whole(self.warn_at)).then_some(Severity::Warn)
        }
    }
}
