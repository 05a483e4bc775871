//! Options of `signature`.

use serde::{Deserialize, Serialize};

use crate::detectors::DetectorSettings;
use crate::settings::{Mode, OutputScope, SettingsChecks};

/// Options of the detector `signature`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SignatureSettings {
    /// `enforce` acts on findings, `observe` only reports them, `off` disables the detector.
    pub mode: Mode,
    /// Number of identical signatures that gives a hint. 0 disables it.
    pub hint_at: u32,
    /// Number of identical signatures that triggers an intervention.
    #[cfg_attr(feature = "schema", schemars(range(min = 2, max = 20)))]
    pub hard_at: u32,
    /// Number of recent outputs among which identical signatures are counted. 0 counts them only in a row.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 20)))]
    pub window: u32,
    /// Steps that are read.
    pub scope: OutputScope,
}

impl Default for SignatureSettings {
    fn default() -> Self {
        SignatureSettings {
            mode: Mode::Enforce,
            hint_at: 2,
            hard_at: 3,
            window: 0,
            scope: OutputScope::Iterations,
        }
    }
}

impl DetectorSettings for SignatureSettings {
    fn check(&self, checks: &mut SettingsChecks) {
        checks.within("hard_at", self.hard_at, &(2..=20));
        checks.that(self.hint_at < self.hard_at, "hint_at", || {
            (
                format!("hint_at ({}) must be below hard_at ({})", self.hint_at, self.hard_at),
                "a hint comes before the loop is acted on: lower hint_at, or set it to 0 for none".into(),
            )
        });
        checks.within("window", self.window, &(0..=20));
        checks.that(self.window == 0 || self.window >= self.hard_at, "window", || {
            (
                format!("a window of {} never holds {} equal signatures", self.window, self.hard_at),
                "raise window, lower hard_at, or set window = 0 to ask for them in a row".into(),
            )
        });
    }
}
