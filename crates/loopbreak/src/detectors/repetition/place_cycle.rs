//! The same round of places, walked again and again: the part of `cycle` that follows where an agent goes.
//!
//! Turns spent at a place do not count, only moves. Rounds of two places belong to `oscillation`. Walks lead
//! back at times, so a round is reported only when it is walked for the third time without progress, and it never stops a
//! run: a proposal that continues it loses score.

use serde::{Deserialize, Serialize};

use super::period_tracker::{PeriodTracker, RepeatedPeriod};
use super::repeat_weight::WHOLE;
use crate::detectors::StepContext;
use crate::memory::HashKey;

/// The shortest round that is looked for: two places to and fro are `oscillation`'s.
const SHORTEST: u32 = 3;
/// So many times round are too many.
const TIMES: u32 = 3;

/// The places, in the order in which they were walked to.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct PlaceCycle(PeriodTracker);

impl PlaceCycle {
    pub(crate) fn bytes(&self, digits: usize) -> usize {
        self.0.bytes(digits)
    }

    /// Takes in a move. Gives the round that the agent is on, and its name, if it is on one.
    pub(crate) fn walk(
        &mut self,
        context: &StepContext<'_>,
        longest: u32,
    ) -> Option<(RepeatedPeriod, HashKey)> {
        self.0.push(context.trail.here()?, context.turn, WHOLE, longest);
        let round = self.round(longest)?;
        Some((round, self.0.identity(round.period)))
    }

    /// Whether to go to this place is to go on with the round: how many places it has, and how often it was walked.
    pub(crate) fn goes_on(&self, destination: HashKey, longest: u32) -> Option<RepeatedPeriod> {
        let round = self.round(longest)?;
        (self.0.next(round.period)? == destination).then_some(round)
    }

    fn round(&self, longest: u32) -> Option<RepeatedPeriod> {
        self.0.now(longest).filter(|round| round.period >= SHORTEST && round.times >= TIMES)
    }
}
