//! Options of `budget`.

use serde::{Deserialize, Serialize};

use crate::detectors::DetectorSettings;
use crate::settings::{Mode, Profile, SettingsChecks, TimeSpan};

/// Options of the detector `budget`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct BudgetSettings {
    /// `enforce` acts on findings, `observe` only reports them, `off` disables the detector.
    pub mode: Mode,
    /// Stop after this many turns. 0 means no limit.
    pub max_iterations: u64,
    /// Stop after this much time, measured from the `at` of the first step. 0 means no limit.
    pub max_runtime: TimeSpan,
    /// Stop after this many US dollars, as reported in the `usage` of the steps. 0 means no limit.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub max_cost: f64,
    /// Warn from this fraction of a limit, from 0 to 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0, max = 1.0)))]
    pub warn_at: f64,
}

impl Default for BudgetSettings {
    fn default() -> Self {
        BudgetSettings {
            mode: Mode::Enforce,
            max_iterations: 0,
            max_runtime: TimeSpan::default(),
            max_cost: 0.0,
            warn_at: 0.8,
        }
    }
}

impl DetectorSettings for BudgetSettings {
    fn adjust_for(&mut self, profile: Profile) {
        if profile == Profile::Iterations {
            self.max_iterations = 10;
            self.max_runtime = TimeSpan::from_minutes(15);
        }
    }

    fn check(&self, checks: &mut SettingsChecks) {
        checks.within("warn_at", self.warn_at, &(0.0..=1.0));
        checks.that(self.max_cost.is_finite() && self.max_cost >= 0.0, "max_cost", || {
            (
                format!("{} is not an amount of money", self.max_cost),
                "give US dollars, or 0 for no limit".into(),
            )
        });
    }
}
