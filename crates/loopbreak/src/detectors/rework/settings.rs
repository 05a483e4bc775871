//! Options of `rework`.

use serde::{Deserialize, Serialize};

use crate::detectors::DetectorSettings;
use crate::settings::{Mode, SettingsChecks};

/// Options of the detector `rework`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ReworkSettings {
    /// `enforce` acts on findings, `observe` only reports them, `off` disables the detector.
    pub mode: Mode,
    /// Number of calls after a compaction that were made before it with the same result, that gives a warning. They must be
    /// at least half of the calls since then.
    #[cfg_attr(feature = "schema", schemars(range(min = 2, max = 1000)))]
    pub warn_at: u32,
    /// Number of such calls that triggers an intervention. 0 disables all interventions of this detector.
    pub hard_at: u32,
    /// Number of compactions in a row, after each of which mostly known calls were made and nothing was changed, that
    /// gives a warning.
    #[cfg_attr(feature = "schema", schemars(range(min = 2, max = 1000)))]
    pub rounds_warn_at: u32,
    /// Number of such compactions that triggers an intervention.
    pub rounds_hard_at: u32,
}

impl Default for ReworkSettings {
    fn default() -> Self {
        ReworkSettings { mode: Mode::Enforce, warn_at: 8, hard_at: 24, rounds_warn_at: 2, rounds_hard_at: 4 }
    }
}

impl DetectorSettings for ReworkSettings {
    fn check(&self, checks: &mut SettingsChecks) {
        checks.warns_first(self.warn_at, self.hard_at);
        checks.warns_first_by(
            ("rounds_warn_at", self.rounds_warn_at),
            ("rounds_hard_at", self.rounds_hard_at),
        );
    }
}
