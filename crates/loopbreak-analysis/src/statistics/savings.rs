//! The cost of a run, and the part after the points where Loopbreak would have intervened and ended it.

use loopbreak::Usage;
use serde::{Deserialize, Serialize};

use crate::json_number;

/// Tokens and money; each is absent if no record has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunCost {
    /// Tokens read and written.
    pub tokens: Option<u64>,
    /// US dollars.
    pub cost_usd: Option<f64>,
}

impl RunCost {
    /// Adds the cost of a step. Impossible figures, such as a negative price, are ignored.
    pub fn add(&mut self, usage: &Usage) {
        if usage.input_tokens.is_some() || usage.output_tokens.is_some() {
            let tokens = usage.input_tokens.unwrap_or(0).saturating_add(usage.output_tokens.unwrap_or(0));
            self.tokens = Some(self.tokens.unwrap_or(0).saturating_add(tokens));
        }
        if let Some(cost) = usage.cost_usd.filter(|cost| cost.is_finite() && *cost >= 0.0) {
            self.cost_usd = Some(self.cost_usd.unwrap_or(0.0) + cost);
        }
    }

    /// Adds the cost of another run.
    pub fn merge(&mut self, other: &RunCost) {
        if let Some(tokens) = other.tokens {
            self.tokens = Some(self.tokens.unwrap_or(0).saturating_add(tokens));
        }
        if let Some(cost) = other.cost_usd {
            self.cost_usd = Some(self.cost_usd.unwrap_or(0.0) + cost);
        }
    }

    /// Returns the cost after `earlier`. Unknown stays unknown.
    #[must_use]
    pub fn since(&self, earlier: &RunCost) -> RunCost {
        RunCost {
            tokens: self.tokens.map(|tokens| tokens - earlier.tokens.unwrap_or(0).min(tokens)),
            cost_usd: self
                .cost_usd
                .map(|cost| json_number::money((cost - earlier.cost_usd.unwrap_or(0.0)).max(0.0))),
        }
    }

    /// Removes the rounding error of adding floats.
    #[must_use]
    pub fn rounded(self) -> RunCost {
        RunCost { tokens: self.tokens, cost_usd: self.cost_usd.map(json_number::money) }
    }
}

/// Steps, cost and progress after a point of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RunSavings {
    /// Steps after the point.
    pub steps: u64,
    /// Cost after the point.
    pub cost: RunCost,
    /// Progress was made after it; absent without a progress signal.
    pub destroyed: Option<bool>,
}

/// Tracks a run past the first intervention and past the point where the run would have ended. The two are separate
/// because a run continues after a refusal, so a refusal saves nothing.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SavingsTracker {
    steps: u64,
    spent: RunCost,
    highest: Option<f64>,
    /// The run has a score, objectives or progress markers.
    measured: bool,
    stop: RunPoint,
    ending: RunPoint,
}

/// A point of a run, if it was reached.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct RunPoint {
    /// Steps, cost and highest score up to it.
    stood: Option<(u64, RunCost, Option<f64>)>,
    /// Progress was made after it.
    passed: bool,
}

impl RunPoint {
    fn follow(&mut self, step: &StepFacts) {
        if let Some((_, _, highest)) = self.stood {
            let above = step.score.is_some_and(|score| highest.is_some_and(|highest| score > highest));
            self.passed |= above || step.achieved;
        }
    }
}

/// The facts of a step that matter for savings.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StepFacts {
    pub(crate) is_turn: bool,
    pub(crate) score: Option<f64>,
    /// It has a score, objectives or a progress marker.
    pub(crate) measured: bool,
    /// A new objective, or a progress marker.
    pub(crate) achieved: bool,
    pub(crate) usage: Option<Usage>,
}

/// The intervention that a guard would have made after a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StepIntervention {
    /// It would have intervened.
    pub(crate) stops: bool,
    /// It would have ended the run or escalated it to a human.
    pub(crate) ends: bool,
}

impl SavingsTracker {
    /// Adds a step, and the intervention after it.
    pub(crate) fn add(&mut self, step: &StepFacts, done: StepIntervention) {
        if let Some(usage) = &step.usage {
            self.spent.add(usage);
        }
        if step.is_turn {
            self.steps += 1;
            self.measured |= step.measured;
            self.stop.follow(step);
            self.ending.follow(step);
            self.highest = self.highest.into_iter().chain(step.score).reduce(f64::max);
        }
        let now = (self.steps, self.spent, self.highest);
        for (point, reached) in [(&mut self.stop, done.stops), (&mut self.ending, done.ends)] {
            if reached && point.stood.is_none() {
                point.stood = Some(now);
            }
        }
    }

    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    pub(crate) fn spent(&self) -> RunCost {
        self.spent.rounded()
    }

    /// Returns the savings after the first hard finding.
    pub(crate) fn after_stop(&self) -> RunSavings {
        self.after(&self.stop)
    }

    /// Returns the savings after the point where the run would have ended.
    pub(crate) fn after_ending(&self) -> RunSavings {
        self.after(&self.ending)
    }

    fn after(&self, point: &RunPoint) -> RunSavings {
        let (steps, spent, _) = point.stood.unwrap_or((self.steps, self.spent, None));
        RunSavings {
            steps: self.steps - steps,
            cost: self.spent.since(&spent),
            destroyed: self.measured.then_some(point.passed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDS: StepIntervention = StepIntervention { stops: true, ends: true };
    const NOTHING: StepIntervention = StepIntervention { stops: false, ends: false };

    fn scored(score: f64) -> StepFacts {
        let usage = Usage { input_tokens: Some(100), cost_usd: Some(0.1), ..Usage::default() };
        StepFacts {
            is_turn: true,
            score: Some(score),
            measured: true,
            usage: Some(usage),
            ..StepFacts::default()
        }
    }

    #[test]
    fn a_score_above_the_maximum_at_the_stop_is_lost_progress() {
        let run = |scores: &[f64]| {
            let mut ledger = SavingsTracker::default();
            for (index, score) in scores.iter().enumerate() {
                ledger.add(&scored(*score), if index == 2 { ENDS } else { NOTHING });
            }
            ledger.after_ending()
        };
        assert_eq!(run(&[0.0, 10.0, 5.0, 10.0]).destroyed, Some(false), "it had been there before");
        assert_eq!(run(&[0.0, 10.0, 5.0, 11.0, 0.0]).destroyed, Some(true));
        let savings = run(&[0.0, 10.0, 5.0, 11.0, 0.0]);
        assert_eq!((savings.steps, savings.cost.tokens, savings.cost.cost_usd), (2, Some(200), Some(0.2)));
    }

    #[test]
    fn a_progress_mark_after_the_stop_is_lost_progress_but_one_at_the_stop_is_not() {
        let marked = StepFacts { is_turn: true, measured: true, achieved: true, ..StepFacts::default() };
        let mut ledger = SavingsTracker::default();
        ledger.add(&marked, ENDS);
        assert_eq!(ledger.after_ending().destroyed, Some(false));
        ledger.add(&marked, NOTHING);
        assert_eq!(ledger.after_ending().destroyed, Some(true));
    }

    #[test]
    fn a_run_without_a_progress_signal_has_an_unknown_loss() {
        let mut ledger = SavingsTracker::default();
        ledger.add(&StepFacts { is_turn: true, ..StepFacts::default() }, ENDS);
        ledger.add(&StepFacts { is_turn: true, ..StepFacts::default() }, NOTHING);
        assert_eq!(ledger.after_ending(), RunSavings { steps: 1, cost: RunCost::default(), destroyed: None });
    }

    #[test]
    fn refused_records_are_not_steps_but_their_cost_counts() {
        let mut ledger = SavingsTracker::default();
        ledger.add(&scored(1.0), ENDS);
        ledger.add(&StepFacts { is_turn: false, ..scored(99.0) }, NOTHING);
        let savings = ledger.after_ending();
        assert_eq!((savings.steps, savings.cost.tokens, savings.destroyed), (0, Some(100), Some(false)));
    }

    #[test]
    fn a_refusal_saves_nothing_until_the_run_ends() {
        let mut ledger = SavingsTracker::default();
        ledger.add(&scored(1.0), StepIntervention { stops: true, ends: false });
        ledger.add(&scored(2.0), NOTHING);
        assert_eq!((ledger.after_stop().steps, ledger.after_stop().destroyed), (1, Some(true)));
        assert_eq!((ledger.after_ending().steps, ledger.after_ending().cost.tokens), (0, Some(0)));
        ledger.add(&scored(2.0), ENDS);
        ledger.add(&scored(2.0), NOTHING);
        assert_eq!((ledger.after_stop().steps, ledger.after_ending().steps), (3, 1));
        assert_eq!(ledger.after_ending().destroyed, Some(false), "the progress came before it");
    }
}
