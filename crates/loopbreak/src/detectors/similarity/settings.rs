//! Options of `similarity`.

use serde::{Deserialize, Serialize};

use crate::detectors::DetectorSettings;
use crate::settings::{Mode, OutputScope, SettingsChecks};

/// Options of the detector `similarity`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SimilaritySettings {
    /// `enforce` acts on findings, `observe` only reports them, `off` disables the detector.
    pub mode: Mode,
    /// Similarity from which two outputs count as the same, from 0 to 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.5, max = 1.0)))]
    pub threshold: f64,
    /// Number of recent outputs that each output is compared with.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 20)))]
    pub window: u32,
    /// Number of matches in a row that triggers an intervention. If the matches are not all equally far back, one more
    /// is needed.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 20)))]
    pub hard_at: u32,
    /// Steps that are read.
    pub scope: OutputScope,
}

impl Default for SimilaritySettings {
    fn default() -> Self {
        SimilaritySettings {
            mode: Mode::Enforce,
            threshold: 0.90,
            window: 5,
            hard_at: 2,
            scope: OutputScope::Iterations,
        }
    }
}

impl DetectorSettings for SimilaritySettings {
    fn check(&self, checks: &mut SettingsChecks) {
        checks.within("threshold", self.threshold, &(0.5..=1.0));
        checks.within("window", self.window, &(1..=20));
        checks.within("hard_at", self.hard_at, &(1..=20));
    }
}
