//! Options of `novelty`.

use serde::{Deserialize, Serialize};

use crate::detectors::DetectorSettings;
use crate::settings::{Mode, Profile, SettingsChecks};

/// Options of the detector `novelty`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct NoveltySettings {
    /// `enforce` acts on findings, `observe` only reports them, `off` disables the detector.
    pub mode: Mode,
    /// Number of recent actions that a proposal is compared with.
    #[cfg_attr(feature = "schema", schemars(range(min = 5, max = 50)))]
    pub window: u32,
    /// Mention exits of the current place that were not tried.
    pub unexplored_exits: bool,
}

impl Default for NoveltySettings {
    fn default() -> Self {
        NoveltySettings { mode: Mode::Enforce, window: 15, unexplored_exits: true }
    }
}

impl DetectorSettings for NoveltySettings {
    fn adjust_for(&mut self, profile: Profile) {
        // A coding agent has no places.
        if profile == Profile::Coding {
            self.mode = Mode::Off;
        }
    }

    fn check(&self, checks: &mut SettingsChecks) {
        checks.within("window", self.window, &(5..=50));
    }
}
