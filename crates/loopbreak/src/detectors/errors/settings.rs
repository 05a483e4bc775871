//! Options of `errors`.

use serde::{Deserialize, Serialize};

use crate::detectors::DetectorSettings;
use crate::settings::{Mode, Profile, SettingsChecks};

/// Options of the detector `errors`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ErrorsSettings {
    /// `enforce` acts on findings, `observe` only reports them, `off` disables the detector.
    pub mode: Mode,
    /// Number of errors of one kind at one target, in a row, that gives a warning. 0 disables it. As many errors of
    /// different kinds give a hint.
    pub warn_at: u32,
    /// Number of errors of any kind in a row, with no success between them, that gives a warning. 0 disables it.
    pub any_warn_at: u32,
    /// Number of errors in a row that stops the run. 0 disables it.
    pub hard_at: u32,
}

impl Default for ErrorsSettings {
    fn default() -> Self {
        ErrorsSettings { mode: Mode::Enforce, warn_at: 3, any_warn_at: 6, hard_at: 0 }
    }
}

impl DetectorSettings for ErrorsSettings {
    fn adjust_for(&mut self, profile: Profile) {
        if matches!(profile, Profile::Iterations | Profile::Documents) {
            self.hard_at = 3;
            self.any_warn_at = 3;
        }
    }

    fn check(&self, checks: &mut SettingsChecks) {
        checks.that(self.hard_at == 0 || self.hard_at >= self.warn_at, "hard_at", || {
            (
                format!("hard_at ({}) must be at least warn_at ({})", self.hard_at, self.warn_at),
                "a warning does not come after the stop: raise hard_at or lower warn_at".into(),
            )
        });
    }
}
