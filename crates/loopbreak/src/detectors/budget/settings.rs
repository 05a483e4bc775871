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
    /// Stop when the run has cost this many US dollars, by its log or by the prices of its models. 0 means no limit.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub max_cost: f64,
    /// Stop when a session has cost this many US dollars. The main agent and its subagents are one session. 0 means no limit.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub max_cost_session: f64,
    /// Stop when all sessions together have cost this many US dollars within an hour. 0 means no limit.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub max_cost_hour: f64,
    /// Stop when all sessions together have cost this many US dollars on a day, in UTC. 0 means no limit.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub max_cost_day: f64,
    /// Stop when all sessions together have cost this many US dollars since their costs are recorded. 0 means no limit.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub max_cost_total: f64,
    /// Stop when all sessions together cost this many US dollars per minute, as the mean of ten minutes. Money must have been spent
    /// in at least three of them, so that one expensive call is not enough. 0 means no limit.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub max_cost_per_minute: f64,
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
            max_cost_session: 0.0,
            max_cost_hour: 0.0,
            max_cost_day: 0.0,
            max_cost_total: 0.0,
            max_cost_per_minute: 0.0,
            warn_at: 0.8,
        }
    }
}

impl BudgetSettings {
    /// Returns the limits of money with their names. One of 0 is not set.
    pub fn cost_limits(&self) -> [(&'static str, f64); 6] {
        [
            ("max_cost", self.max_cost),
            ("max_cost_session", self.max_cost_session),
            ("max_cost_hour", self.max_cost_hour),
            ("max_cost_day", self.max_cost_day),
            ("max_cost_total", self.max_cost_total),
            ("max_cost_per_minute", self.max_cost_per_minute),
        ]
    }

    /// Returns whether a limit of money is set, so that the costs of steps matter.
    pub fn limits_cost(&self) -> bool {
        self.mode != Mode::Off && self.cost_limits().iter().any(|(_, limit)| *limit > 0.0)
    }

    /// Returns whether a limit is set that concerns more than one run.
    pub fn has_shared_limit(&self) -> bool {
        self.mode != Mode::Off && self.cost_limits()[1..].iter().any(|(_, limit)| *limit > 0.0)
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
        for (option, limit) in self.cost_limits() {
            checks.that(limit.is_finite() && limit >= 0.0, option, || {
                (format!("{limit} is not an amount of money"), "give US dollars, or 0 for no limit".into())
            });
        }
    }
}
