//! Options of `chant`.

use serde::{Deserialize, Serialize};

use crate::detectors::DetectorSettings;
use crate::settings::{Mode, SettingsChecks};
use crate::verdict::Severity;

/// Options of the detector `chant`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ChantSettings {
    /// `enforce` acts on findings, `observe` only reports them, `off` disables the detector.
    pub mode: Mode,
    /// Number of repetitions inside a text, or of identical messages, that gives a warning.
    #[cfg_attr(feature = "schema", schemars(range(min = 2, max = 1000)))]
    pub warn_at: u32,
    /// Number of repetitions inside a text, or of identical messages, that triggers an intervention. The repetitions
    /// inside a text must also be ten times as long as `min_bytes`, or occur in two texts in a row. 0 disables it.
    pub hard_at: u32,
    /// Smallest size of the repeated part of a text in bytes. For code, tables and logs it is ten times as much.
    #[cfg_attr(feature = "schema", schemars(range(min = 100, max = 1_000_000)))]
    pub min_bytes: u32,
    /// Smallest size in bytes of a message that is compared with others.
    #[cfg_attr(feature = "schema", schemars(range(min = 16, max = 4096)))]
    pub min_message: u32,
}

impl Default for ChantSettings {
    fn default() -> Self {
        ChantSettings { mode: Mode::Enforce, warn_at: 4, hard_at: 8, min_bytes: 400, min_message: 48 }
    }
}

impl DetectorSettings for ChantSettings {
    fn check(&self, checks: &mut SettingsChecks) {
        checks.warns_first(self.warn_at, self.hard_at);
        checks.within("min_bytes", self.min_bytes, &(100..=1_000_000));
        checks.within("min_message", self.min_message, &(16..=4096));
    }
}

impl ChantSettings {
    /// Returns how bad this many repetitions are.
    pub(super) fn severity(&self, count: u32) -> Option<Severity> {
        if self.hard_at > 0 && count >= self.hard_at {
            Some(Severity::Hard)
        } else {
            (count >= self.warn_at).then_some(Severity::Warn)
        }
    }
}
