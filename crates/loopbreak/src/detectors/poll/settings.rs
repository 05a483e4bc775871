//! Options of `poll`.

use serde::{Deserialize, Serialize};

use crate::detectors::DetectorSettings;
use crate::settings::{Mode, SettingsChecks};

/// Options of the detector `poll`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PollSettings {
    /// `enforce` acts on findings, `observe` only reports them, `off` disables the detector.
    pub mode: Mode,
    /// Number of identical waiting steps in a row that gives a warning.
    #[cfg_attr(feature = "schema", schemars(range(min = 2, max = 1000)))]
    pub warn_at: u32,
    /// Number of identical waiting steps in a row that triggers an intervention. 0 disables it.
    pub hard_at: u32,
}

impl Default for PollSettings {
    fn default() -> Self {
        PollSettings { mode: Mode::Enforce, warn_at: 10, hard_at: 20 }
    }
}

impl DetectorSettings for PollSettings {
    fn check(&self, checks: &mut SettingsChecks) {
        checks.warns_first(self.warn_at, self.hard_at);
    }
}
