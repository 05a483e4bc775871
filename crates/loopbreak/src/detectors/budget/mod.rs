//! `budget`: limits of iterations, time and money.
//!
//! Catches: a limit that the user set, when it is reached, with a warning at 80 % of it.
//! Must not catch: anything without a limit. A refused proposal is not an iteration, and a clock that is set
//! back adds no time. One expensive call is not a high cost per minute.
//! Origin: document 004, the first two safety guards; the limits of money from users' complaints.
//!
//! The budgets of a session, an hour, a day and of everything concern several runs. The run itself knows only its own steps, by
//! their times; what the others have spent comes from the adapter, as [`SharedSpending`]. The larger of the two counts: the sums
//! of an adapter contain those of the run.

mod recent_costs;
pub(crate) mod settings;
mod shared_spending;
#[cfg(test)]
mod shared_tests;
#[cfg(test)]
mod tests;
mod texts;

use self::recent_costs::{MINUTE, RecentCosts};
use self::settings::BudgetSettings;
pub use self::shared_spending::SharedSpending;
use super::{
    Detection, DetectionCollector, Detector, DetectorSubject, DetectorTexts, LoopFamily, Pattern,
    StepContext, StepDetector,
};
use crate::event::SafetyGuard;
use crate::evidence::{EvidenceKey, whole_or_float};
use crate::memory::{key_of, key_of_parts, snapshot_type};
use crate::settings::TimeSpan;
use crate::step::{EpochMillis, Step};
use crate::verdict::{Intervention, Severity};

snapshot_type! {
    /// The detector `budget`.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(crate) struct BudgetDetector {
        cost_usd: f64,
        /// Kept only if a limit needs it.
        #[serde(skip_serializing_if = "RecentCosts::is_empty")]
        recent: RecentCosts,
        /// Time of the first cost.
        #[serde(skip_serializing_if = "Option::is_none")]
        cost_since: Option<i64>,
        /// Times at which the limit of an hour and the limit per minute were last reported. They are reported once an hour.
        #[serde(skip_serializing_if = "Option::is_none")]
        hour_from: Option<i64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        rate_from: Option<i64>,
    }
}

/// Upper limit of the cost that is counted.
const MOST_USD: f64 = 1e15;
/// Milliseconds of an hour and of a day.
const HOUR_MS: i64 = 60 * MINUTE;
const DAY_MS: i64 = 24 * HOUR_MS;

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
        let cost = step_cost(context.step);
        // A sum that is not a finite number could not be serialized.
        self.cost_usd = (self.cost_usd + cost).min(MOST_USD);
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
                count: percent(used / limit),
                requested_intervention: Some(Intervention::Stop),
            });
            evidence.note("used", whole_or_float(used)).note("limit", whole_or_float(limit));
            if pattern == Pattern::MaxRuntime {
                evidence.note("runtime", readable_time(used)).note("max_runtime", readable_time(limit));
            }
        }
        if settings.has_shared_limit() {
            self.observe_shared(context, cost, settings, out);
        }
    }
}

impl BudgetDetector {
    /// Judges the limits that concern more than this run.
    fn observe_shared(
        &mut self,
        context: &StepContext<'_>,
        cost: f64,
        settings: &BudgetSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        let now = context.now.unwrap_or_default();
        if context.now.is_some() {
            self.recent.add(now, cost);
        }
        if cost > 0.0 && self.cost_since.is_none() {
            self.cost_since = context.now;
        }
        let spent = self.spent(context, now);
        for (pattern, used, limit) in [
            (Pattern::MaxCostSession, spent.session, settings.max_cost_session),
            (Pattern::MaxCostHour, spent.hour, settings.max_cost_hour),
            (Pattern::MaxCostDay, spent.day, settings.max_cost_day),
            (Pattern::MaxCostTotal, spent.total, settings.max_cost_total),
            (
                Pattern::MaxCostPerMinute,
                spent.recent / SharedSpending::RATE_MINUTES as f64,
                settings.max_cost_per_minute,
            ),
        ] {
            let is_near = limit > 0.0 && used > 0.0 && used >= limit * settings.warn_at;
            let is_sustained = pattern != Pattern::MaxCostPerMinute
                || spent.recent_minutes >= SharedSpending::RATE_SPENT_MINUTES;
            if !is_near || !is_sustained {
                continue;
            }
            let severity = if used >= limit { Severity::Hard } else { Severity::Warn };
            let share = if severity == Severity::Hard { used / limit } else { settings.warn_at };
            let evidence = out.add(Detection {
                pattern,
                family: LoopFamily::Limit,
                identity: key_of_parts(&[key_of(pattern.as_str()), key_of(&self.period(pattern, now))]),
                since: 0,
                severity: Some(severity),
                stage: 0,
                // A warning does not get worse: it is given once per period.
                count: percent(share),
                requested_intervention: Some(Intervention::Stop),
            });
            evidence
                .note("used", whole_or_float(used.min(MOST_USD)))
                .note("limit", whole_or_float(limit))
                .note(EvidenceKey::SPENT_IN, spent_in(pattern, &spent, context.now));
        }
    }

    /// Returns what was spent, this step included: the larger of what this run knows and what the adapter says.
    fn spent(&self, context: &StepContext<'_>, now: i64) -> SharedSpending {
        let own = self.recent.sums(now);
        let shared = context.shared.map(|shared| shared.after(context.step)).unwrap_or_default();
        let larger = |one: f64, other: f64| if other.is_finite() { one.max(other) } else { one };
        SharedSpending {
            session: larger(self.cost_usd, shared.session),
            hour: larger(own.hour, shared.hour),
            day: larger(own.day, shared.day),
            total: larger(self.cost_usd, shared.total),
            recent: larger(own.recent, shared.recent),
            recent_minutes: own.recent_minutes.max(shared.recent_minutes),
            session_since: shared.session_since.or(self.cost_since),
            total_since: shared.total_since.or(self.cost_since),
        }
    }

    /// Returns the name of the present period of a limit. A limit is reported once in each.
    fn period(&mut self, pattern: Pattern, now: i64) -> String {
        let from = match pattern {
            Pattern::MaxCostDay => return now.div_euclid(DAY_MS).to_string(),
            Pattern::MaxCostHour => &mut self.hour_from,
            Pattern::MaxCostPerMinute => &mut self.rate_from,
            _ => return String::new(),
        };
        let is_over = from.is_none_or(|from| now.saturating_sub(from) >= HOUR_MS || now < from);
        if is_over {
            *from = Some(now);
        }
        from.unwrap_or_default().to_string()
    }
}

/// Returns the cost of a step in US dollars, 0 if it has no valid one.
fn step_cost(step: &Step<'_>) -> f64 {
    let cost = step.usage.and_then(|usage| usage.cost_usd);
    cost.filter(|cost| cost.is_finite() && *cost > 0.0).unwrap_or(0.0).min(MOST_USD)
}

fn percent(share: f64) -> u32 {
    (share * 100.0).min(f64::from(u32::MAX)) as u32
}

/// Returns the period of a limit in words.
fn spent_in(pattern: Pattern, spent: &SharedSpending, now: Option<i64>) -> String {
    let since = |time: Option<i64>| {
        let time = time.and_then(|time| EpochMillis(time).rfc3339());
        time.map(|time| format!(" since {} UTC", time[..16].replace('T', " "))).unwrap_or_default()
    };
    match pattern {
        Pattern::MaxCostSession => format!("in this session{}", since(spent.session_since)),
        Pattern::MaxCostHour => "in the last hour, in all sessions".to_owned(),
        Pattern::MaxCostDay => {
            format!("today{}, in all sessions", since(now.map(|now| now - now.rem_euclid(DAY_MS))))
        }
        Pattern::MaxCostTotal => format!("in all sessions{}", since(spent.total_since)),
        _ => format!("a minute in the last {} minutes, in all sessions", SharedSpending::RATE_MINUTES),
    }
}

/// Returns a time for people: `15m` or `3s`, without milliseconds from a second on.
fn readable_time(millis: f64) -> String {
    let millis = millis as u64;
    let millis = if millis < 1000 { millis } else { millis - millis % 1000 };
    TimeSpan { millis }.to_string()
}
