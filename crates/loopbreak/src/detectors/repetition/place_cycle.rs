//! Places visited repeatedly in the same order: the part of `cycle` that tracks moves.
//!
//! Only moves count, not turns spent at a place. Cycles of two places belong to `oscillation`. Returning to a
//! place is often part of a normal walk. Therefore a cycle is reported only on its third round without
//! progress, and it never stops a run. A proposal that continues it loses score.

use super::period_tracker::{PeriodTracker, RepeatedPeriod};
use super::repeat_weight::WHOLE;
use crate::detectors::StepContext;
use crate::memory::{HashKey, snapshot_type};

/// The shortest cycle that is tracked. Moves back and forth between two places belong to `oscillation`.
const SHORTEST: u32 = 3;
/// Number of rounds from which a cycle is reported.
const TIMES: u32 = 3;

snapshot_type! {
    /// The places in the order in which they were visited.
    #[derive(Clone, Debug, Default)]
    #[serde(transparent)]
    pub(crate) struct PlaceCycle(PeriodTracker);
}

impl PlaceCycle {
    /// Records a move. Returns the cycle that the agent is in and its identity, if any.
    pub(crate) fn walk(
        &mut self,
        context: &StepContext<'_>,
        longest: u32,
    ) -> Option<(RepeatedPeriod, HashKey)> {
        self.0.push(context.trail.here()?, context.turn, WHOLE, longest);
        let round = self.round(longest)?;
        Some((round, self.0.identity(round.period)))
    }

    /// Returns the current cycle if a move to this place would continue it.
    pub(crate) fn goes_on(&self, destination: HashKey, longest: u32) -> Option<RepeatedPeriod> {
        let round = self.round(longest)?;
        (self.0.next(round.period)? == destination).then_some(round)
    }

    fn round(&self, longest: u32) -> Option<RepeatedPeriod> {
        self.0.now(longest).filter(|round| round.period >= SHORTEST && round.times >= TIMES)
    }
}
