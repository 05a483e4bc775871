//! The state that a guard keeps per agent.

use crate::detectors::AgentDetectors;
use crate::facts::{NamedPositions, ParallelCalls};
use crate::memory::{HashKey, RingBuffer, snapshot_type};
use crate::place::{PlaceMap, PlaceTrail, action_direction};
use crate::step::{Action, Step};

/// Number of calls that are remembered.
const RECENT_CALLS: usize = 8;

snapshot_type! {
    /// The state that a guard keeps per agent.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(super) struct AgentState {
        pub(super) steps: u64,
        pub(super) trail: PlaceTrail,
        /// True if the last step only waited.
        pub(super) waits: bool,
        /// The last calls.
        pub(super) calls: RingBuffer<HashKey, RECENT_CALLS>,
        /// Number of refused calls in a row.
        pub(super) refused: u32,
        /// The positions that the agent named.
        pub(super) positions: NamedPositions,
        /// The calls of the current message.
        pub(super) parallel: ParallelCalls,
        pub(super) detectors: AgentDetectors,
    }
}

impl AgentState {
    /// Records a call. Returns whether it was made recently.
    pub(super) fn note_call(&mut self, call: HashKey) -> bool {
        let known = self.calls.iter().any(|known| *known == call);
        if !known {
            self.calls.push(call);
        }
        known
    }

    /// Counts refused calls in a row. The calls of one message count once.
    pub(super) fn count_refusals(&mut self, step: &Step<'_>, user_spoke: bool, is_same_decision: bool) {
        if user_spoke || step.action.is_some() && !step.refused {
            self.refused = 0;
        } else if step.refused && !is_same_decision {
            self.refused = self.refused.saturating_add(1);
        }
    }

    /// Records the place of the step. Returns whether the agent moved.
    pub(super) fn walk(
        &mut self,
        map: &mut PlaceMap,
        step: &Step<'_>,
        action: Option<&Action<'_>>,
        turn: u64,
        history: usize,
    ) -> bool {
        let Some(here) = step.place.as_ref().and_then(|place| map.arrive(place)) else { return false };
        if let (Some(from), Some(way)) = (self.trail.here(), action.and_then(action_direction)) {
            map.walked(from, &way, here);
        }
        self.trail.push(here, turn, history)
    }
}
