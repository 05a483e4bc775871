//! Options of `restart`.

use serde::{Deserialize, Serialize};

use crate::detectors::DetectorSettings;
use crate::settings::{Mode, SettingsChecks};

/// Options of the detector `restart`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RestartSettings {
    /// `enforce` acts on findings, `observe` only reports them, `off` disables the detector.
    pub mode: Mode,
    /// Number of runs in a row that ended early after which a warning is given.
    #[cfg_attr(feature = "schema", schemars(range(min = 2, max = 1000)))]
    pub warn_at: u32,
    /// Largest number of steps of a run that ended early.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1000)))]
    pub young: u32,
    /// Number of runs started within a minute without a result that gives a warning. 0 disables it.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 64)))]
    pub spawn_at: u32,
}

impl Default for RestartSettings {
    fn default() -> Self {
        RestartSettings { mode: Mode::Enforce, warn_at: 3, young: 10, spawn_at: 20 }
    }
}

impl DetectorSettings for RestartSettings {
    fn check(&self, checks: &mut SettingsChecks) {
        checks.within("warn_at", self.warn_at, &(2..=1000));
        checks.within("young", self.young, &(1..=1000));
        checks.within("spawn_at", self.spawn_at, &(0..=64));
    }
}
