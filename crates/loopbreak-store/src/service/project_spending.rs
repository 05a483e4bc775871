//! Costs and findings of the runs of a project, by minute, by day and in all.

use std::collections::BTreeMap;

use loopbreak::detectors::SharedSpending;

use super::{EntryKind, RunAppend};

/// Milliseconds of a minute and of a day.
pub(super) const MINUTE_MS: i64 = 60_000;
pub(super) const DAY_MS: i64 = 24 * 60 * MINUTE_MS;
/// Number of minutes and of days that are kept.
const KEPT_MINUTES: i64 = 24 * 60;
const KEPT_DAYS: i64 = 400;
/// Largest cost of a step that is counted, in US dollars. One line must not use up a budget for ever.
const MOST_USD: f64 = 10_000.0;

/// Costs and findings of the runs of a project, or of all projects.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProjectSpending {
    /// Costs. A session is a run here, whose guard knows its own cost.
    pub shared: SharedSpending,
    /// Number of findings in the last hour.
    pub findings: u64,
}

/// A kind of sums. Its number is in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PeriodKind {
    All = 0,
    Day = 1,
    Minute = 2,
}

/// A sum of a period.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PeriodSum {
    pub(super) usd: f64,
    pub(super) findings: u64,
    /// Time of the first cost or finding.
    pub(super) since: i64,
}

/// Sums of some additions by project, kind and period, in an order that is the same for all servers.
#[derive(Debug, Default)]
pub(super) struct SpendingSums(BTreeMap<(i64, PeriodKind, i64), PeriodSum>);

impl SpendingSums {
    /// Adds an addition to a run of the project with this number.
    pub(super) fn add(&mut self, project: i64, addition: &RunAppend, now: i64) {
        for entry in addition.entries.iter().filter(|entry| entry.kind == EntryKind::Step) {
            let usd = if entry.cost.is_finite() { entry.cost.clamp(0.0, MOST_USD) } else { 0.0 };
            if usd > 0.0 {
                self.add_to(project, PeriodKind::All, 0, entry.at, usd, 0);
                self.add_to(project, PeriodKind::Day, entry.at.div_euclid(DAY_MS), entry.at, usd, 0);
                self.add_to(project, PeriodKind::Minute, entry.at.div_euclid(MINUTE_MS), entry.at, usd, 0);
            }
        }
        let findings = addition.loops.iter().map(|update| update.findings).fold(0, u64::saturating_add);
        if findings > 0 {
            self.add_to(project, PeriodKind::Minute, now.div_euclid(MINUTE_MS), now, 0.0, findings);
        }
    }

    fn add_to(&mut self, project: i64, kind: PeriodKind, period: i64, at: i64, usd: f64, findings: u64) {
        let sum =
            self.0.entry((project, kind, period)).or_insert(PeriodSum { since: at, ..PeriodSum::default() });
        sum.usd += usd;
        sum.findings = sum.findings.saturating_add(findings);
        sum.since = sum.since.min(at);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the sums with the numbers of their projects.
    pub(super) fn rows(self) -> impl Iterator<Item = (i64, PeriodKind, i64, PeriodSum)> {
        self.0.into_iter().map(|((project, kind, period), sum)| (project, kind, period, sum))
    }
}

/// The periods that are asked for at a time.
pub(super) struct AskedPeriods {
    pub(super) day: i64,
    /// The present minute, and those after which the last hour and the minutes of the rate begin.
    pub(super) minute: i64,
    pub(super) hour_after: i64,
    pub(super) recent_after: i64,
}

impl AskedPeriods {
    pub(super) fn at(now: i64) -> Self {
        let minute = now.div_euclid(MINUTE_MS);
        AskedPeriods {
            day: now.div_euclid(DAY_MS),
            minute,
            hour_after: minute.saturating_sub(60),
            recent_after: minute.saturating_sub(SharedSpending::RATE_MINUTES),
        }
    }
}

/// Returns the minute and the day before which sums are not kept.
pub(super) fn oldest_kept(now: i64) -> (i64, i64) {
    (now.div_euclid(MINUTE_MS) - KEPT_MINUTES, now.div_euclid(DAY_MS) - KEPT_DAYS)
}
