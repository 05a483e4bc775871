//! Options of `continuation`.

use serde::{Deserialize, Serialize};

use crate::detectors::DetectorSettings;
use crate::settings::{Mode, SettingsChecks};

/// Options of the detector `continuation`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ContinuationSettings {
    /// `enforce` acts on findings, `observe` only reports them, `off` disables the detector.
    pub mode: Mode,
    /// Number of turns in a row that the harness started, and in which nothing new was done, that gives a warning. A turn
    /// with a pause of 20 seconds before it counts two fifths.
    #[cfg_attr(feature = "schema", schemars(range(min = 2, max = 1000)))]
    pub warn_at: u32,
    /// Number of such turns that triggers an intervention. 0 disables it.
    pub hard_at: u32,
}

impl Default for ContinuationSettings {
    fn default() -> Self {
        ContinuationSettings { mode: Mode::Enforce, warn_at: 4, hard_at: 8 }
    }
}

impl DetectorSettings for ContinuationSettings {
    fn check(&self, checks: &mut SettingsChecks) {
        checks.warns_first(self.warn_at, self.hard_at);
    }
}
