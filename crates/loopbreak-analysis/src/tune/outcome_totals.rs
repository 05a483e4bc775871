//! Outcomes of settings on runs.

use serde::{Deserialize, Serialize};

use crate::eval::{ConfusionCounts, RuleSignal, ShareEstimate};
use crate::report::{RunReport, VerdictName};

/// The outcome of settings in one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "OutcomeRow", into = "OutcomeRow")]
pub struct RunOutcome {
    /// There was a warning or an intervention.
    pub warned: bool,
    /// Loopbreak intervened.
    pub stopped: bool,
    /// The run would have ended or been escalated to a human.
    pub ended: bool,
    /// Turns after that.
    pub saved: u64,
    /// Progress was made after that; absent without a progress signal.
    pub destroyed: Option<bool>,
}

/// The stored form.
type OutcomeRow = (u8, u64, Option<bool>);

impl From<OutcomeRow> for RunOutcome {
    fn from((bits, saved, destroyed): OutcomeRow) -> Self {
        RunOutcome { warned: bits & 1 > 0, stopped: bits & 2 > 0, ended: bits & 4 > 0, saved, destroyed }
    }
}

impl From<RunOutcome> for OutcomeRow {
    fn from(it: RunOutcome) -> Self {
        let bits = u8::from(it.warned) | u8::from(it.stopped) << 1 | u8::from(it.ended) << 2;
        (bits, it.saved, it.destroyed)
    }
}

impl RunOutcome {
    /// Returns the outcome of a report.
    pub fn from_report(report: &RunReport) -> Self {
        RunOutcome {
            warned: report.verdict >= VerdictName::Warn,
            stopped: report.verdict == VerdictName::Stop,
            ended: report.ending.is_some(),
            saved: report.steps_after_ending,
            destroyed: report.progress_after_ending.filter(|_| report.ending.is_some()),
        }
    }

    /// Returns the outcome of a baseline rule, which can only end runs.
    pub fn from_signal(signal: Option<RuleSignal>) -> Self {
        signal.map_or(RunOutcome::default(), |signal| RunOutcome {
            warned: true,
            stopped: true,
            ended: true,
            saved: signal.after.steps,
            destroyed: signal.after.destroyed,
        })
    }
}

/// Totals over runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OutcomeTotals {
    /// Number of runs.
    pub runs: u64,
    /// Runs with a warning or an intervention.
    pub signals: u64,
    /// Right and wrong warnings, if there are labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warned: Option<ConfusionCounts>,
    /// Right and wrong interventions, if there are labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<ConfusionCounts>,
    /// Runs that would have ended.
    pub ended: u64,
    /// Turns after that.
    pub saved: u64,
    /// Ended runs that made progress after that.
    pub destroyed: u64,
    /// Ended runs without a progress signal.
    pub unknown: u64,
}

impl OutcomeTotals {
    /// Adds a run.
    pub fn add(&mut self, outcome: &RunOutcome, positive: Option<bool>) {
        self.runs += 1;
        self.signals += u64::from(outcome.warned);
        if let Some(positive) = positive {
            self.warned.get_or_insert_default().add(positive, outcome.warned);
            self.stopped.get_or_insert_default().add(positive, outcome.stopped);
        }
        if outcome.ended {
            self.ended += 1;
            self.saved += outcome.saved;
            self.destroyed += u64::from(outcome.destroyed == Some(true));
            self.unknown += u64::from(outcome.destroyed.is_none());
        }
    }

    /// Adds the totals of other runs.
    pub fn merge(&mut self, other: &OutcomeTotals) {
        let add = |mine: &mut Option<ConfusionCounts>, other: Option<ConfusionCounts>| {
            if let Some(other) = other {
                let mine = mine.get_or_insert_default();
                mine.tp += other.tp;
                mine.fp += other.fp;
                mine.missed += other.missed;
                mine.tn += other.tn;
            }
        };
        add(&mut self.warned, other.warned);
        add(&mut self.stopped, other.stopped);
        self.runs += other.runs;
        self.signals += other.signals;
        self.ended += other.ended;
        self.saved += other.saved;
        self.destroyed += other.destroyed;
        self.unknown += other.unknown;
    }

    /// Returns the share of warnings that are right.
    pub fn precision(&self) -> Option<ShareEstimate> {
        self.warned.and_then(|counts| counts.precision())
    }

    /// Returns the share of positive runs with a warning.
    pub fn recall(&self) -> Option<ShareEstimate> {
        self.warned.and_then(|counts| counts.recall())
    }

    /// Returns F0.5 of the warnings. Precision counts twice as much as recall, because a false alarm ends a good run.
    pub fn f_half(&self) -> Option<f64> {
        let counts = self.warned?;
        let whole = 1.25 * counts.tp as f64 + 0.25 * counts.missed as f64 + counts.fp as f64;
        Some(if whole > 0.0 { 1.25 * counts.tp as f64 / whole } else { 0.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tune_outcomes_are_stored_and_read_back() {
        for bits in 0..8 {
            for destroyed in [None, Some(false), Some(true)] {
                let outcome = RunOutcome::from((bits, 7, destroyed));
                let written = serde_json::to_string(&outcome).unwrap();
                assert_eq!(serde_json::from_str::<RunOutcome>(&written).unwrap(), outcome);
            }
        }
    }

    #[test]
    fn tune_weighs_a_false_alarm_more_than_a_miss() {
        let figures = |tp, fp, missed| OutcomeTotals {
            warned: Some(ConfusionCounts { tp, fp, missed, tn: 0 }),
            ..OutcomeTotals::default()
        };
        assert_eq!(figures(4, 0, 0).f_half(), Some(1.0));
        assert!(figures(4, 1, 0).f_half() < figures(4, 0, 1).f_half());
        assert_eq!(figures(0, 0, 3).f_half(), Some(0.0));
        assert_eq!(OutcomeTotals::default().f_half(), None);
    }
}
