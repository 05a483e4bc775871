//! `budget`: limits of iterations, time and money.
//!
//! Catches: a limit that the user set, when it is reached, with a warning at 80 % of it.
//! Must not catch: anything without a limit. A refused proposal is not an iteration, and a clock that is set
//! back adds no time.
//! Origin: document 004, the first two safety guards; the limit of money from users' complaints.

pub(crate) mod settings;
#[cfg(test)]
mod tests;
mod texts;

use self::settings::BudgetSettings;
use super::{
    Detection, DetectionCollector, Detector, DetectorSubject, DetectorTexts, LoopFamily, Pattern,
    StepContext, StepDetector,
};
use crate::event::SafetyGuard;
use crate::evidence::whole_or_float;
use crate::memory::{key_of, snapshot_type};
use crate::settings::TimeSpan;
use crate::verdict::{Intervention, Severity};

snapshot_type! {
    /// The detector `budget`.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(crate) struct BudgetDetector {
        cost_usd: f64,
    }
}

/// Upper limit of the cost that is counted.
const MOST_USD: f64 = 1e15;

impl Detector for BudgetDetector {
    type Settings = BudgetSettings;

    const SUBJECT: DetectorSubject = DetectorSubject::Limit;
    const IN_DOCUMENTS_PROFILE: bool = true;
    const TEXTS: &'static DetectorTexts = &texts::TEXTS;

    fn safety_guard(pattern: Pattern) -> SafetyGuard {
        match pattern {
            Pattern::MaxIterations => SafetyGuard::MaxIterations,
            Pattern::MaxRuntime => SafetyGuard::MaxRuntime,
            _ => SafetyGuard::MaxCost,
        }
    }
}

impl StepDetector for BudgetDetector {
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
        // A sum that is not a finite number could not be serialized.
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
            evidence.note("used", whole_or_float(used)).note("limit", whole_or_float(limit));
            if pattern == Pattern::MaxRuntime {
                evidence.note("runtime", readable_time(used)).note("max_runtime", readable_time(limit));
            }
        }
    }
}

/// Returns a time for people: `15m` or `3s`, without milliseconds from a second on.
fn readable_time(millis: f64) -> String {
    let millis = millis as u64;
    let millis = if millis < 1000 { millis } else { millis - millis % 1000 };
    TimeSpan { millis }.to_string()
}
