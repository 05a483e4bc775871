//! `budget`: iterations, time and money.
//!
//! Catches: a limit that the user set, reached; a warning at 80 % of it.
//! Must not catch: anything where no limit is set. A refused proposal is no iteration; time that goes backwards is no
//! time.
//! From: document 004, the first two safety guards; money from users' complaints.

use serde::{Deserialize, Serialize};

use super::{Detection, DetectionCollector, Detector, LoopFamily, Pattern, StepContext};
use crate::memory::key_of;
use crate::settings::{Mode, SettingsChecks, TimeSpan};
use crate::verdict::{Intervention, Severity};

/// Iterations, time and money.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct BudgetSettings {
    /// Whether it acts.
    pub mode: Mode,
    /// Stop after so many turns; 0 for no limit.
    pub max_iterations: u64,
    /// Stop after so much time, from the first step's `at` on; 0 for no limit.
    pub max_runtime: TimeSpan,
    /// Stop after so many US dollars, as the steps' `usage` tells; 0 for no limit.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub max_cost: f64,
    /// Warn from this part of a limit on.
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

impl BudgetSettings {
    pub(crate) fn check(&self, checks: &mut SettingsChecks) {
        checks.within("warn_at", self.warn_at, &(0.0..=1.0));
        checks.that(self.max_cost.is_finite() && self.max_cost >= 0.0, "max_cost", || {
            (format!("{} is no amount of money", self.max_cost), "give US dollars, or 0 for no limit".into())
        });
    }
}

/// The detector.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Budget {
    cost_usd: f64,
}

/// More money than this is not told apart.
const MOST_USD: f64 = 1e15;

impl Detector for Budget {
    type Settings = BudgetSettings;

    fn bytes(&self, _: usize) -> usize {
        40
    }

    fn observe(
        &mut self,
        context: &StepContext<'_>,
        settings: &BudgetSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        let cost = context
            .step
            .usage
            .and_then(|usage| usage.cost_usd)
            .filter(|cost| cost.is_finite() && *cost > 0.0);
        // A sum that is no number could not be put away.
        self.cost_usd = (self.cost_usd + cost.unwrap_or(0.0)).min(MOST_USD);
        let runtime =
            context.now.zip(context.started).map_or(0, |(now, started)| now.saturating_sub(started));
        for (pattern, used, limit) in [
            (Pattern::MaxIterations, context.turns as f64, settings.max_iterations as f64),
            (Pattern::MaxRuntime, runtime as f64, settings.max_runtime.millis as f64),
            (Pattern::MaxCost, self.cost_usd, settings.max_cost),
        ] {
            if limit <= 0.0 || used < limit * settings.warn_at {
                continue;
            }
            let severity = if used >= limit { Severity::Hard } else { Severity::Warn };
            let evidence = out.add(Detection {
                pattern,
                family: LoopFamily::Limit,
                identity: key_of(pattern.as_str()),
                since: 0,
                severity: Some(severity),
                stage: 0,
                count: (used / limit * 100.0).min(f64::from(u32::MAX)) as u32,
                requested_intervention: Some(Intervention::Stop),
            });
            evidence.note("used", used).note("limit", limit);
        }
    }
}
