//! Options of `noop`.

use serde::{Deserialize, Serialize};

use crate::detectors::DetectorSettings;
use crate::settings::{Mode, SettingsChecks};

/// Options of the detector `noop`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct NoopSettings {
    /// `enforce` acts on findings, `observe` only reports them, `off` disables the detector.
    pub mode: Mode,
    /// Number of edits without effect that gives a warning. An edit that has an effect resets the count.
    #[cfg_attr(feature = "schema", schemars(range(min = 2, max = 1000)))]
    pub warn_at: u32,
    /// Number of edits without effect that triggers an intervention. 0 disables it.
    pub hard_at: u32,
    /// Number of messages in a row without a tool call that gives a warning, if the agent called tools before.
    #[cfg_attr(feature = "schema", schemars(range(min = 2, max = 1000)))]
    pub idle_warn_at: u32,
    /// Number of messages in a row without a tool call that triggers an intervention. 0 disables it.
    pub idle_hard_at: u32,
}

impl Default for NoopSettings {
    fn default() -> Self {
        NoopSettings { mode: Mode::Enforce, warn_at: 4, hard_at: 8, idle_warn_at: 6, idle_hard_at: 12 }
    }
}

impl DetectorSettings for NoopSettings {
    fn check(&self, checks: &mut SettingsChecks) {
        checks.warns_first(self.warn_at, self.hard_at);
        checks.within("idle_warn_at", self.idle_warn_at, &(2..=1000));
        checks.that(self.idle_hard_at == 0 || self.idle_warn_at < self.idle_hard_at, "idle_hard_at", || {
            (
                format!(
                    "idle_hard_at ({}) must be above idle_warn_at ({})",
                    self.idle_hard_at, self.idle_warn_at
                ),
                "raise idle_hard_at, lower idle_warn_at, or set idle_hard_at = 0 to disable it".into(),
            )
        });
    }
}
