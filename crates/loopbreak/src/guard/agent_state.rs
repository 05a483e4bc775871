//! The state that a guard keeps per agent.

use serde::{Deserialize, Serialize};

use crate::detectors::AgentDetectors;
use crate::place::{PlaceMap, PlaceTrail, action_direction};
use crate::step::Step;

/// The state that a guard keeps per agent.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct AgentState {
    pub(super) steps: u64,
    pub(super) trail: PlaceTrail,
    /// True if the last step only waited.
    pub(super) waits: bool,
    pub(super) detectors: AgentDetectors,
}

impl AgentState {
    /// Returns an upper bound of the snapshot size in bytes, for turn numbers of `digits` digits.
    pub(super) fn bytes(&self, digits: usize) -> usize {
        80 + self.trail.bytes(digits) + self.detectors.bytes(digits)
    }

    /// Records the place of the step. Returns whether the agent moved.
    pub(super) fn walk(&mut self, map: &mut PlaceMap, step: &Step<'_>, turn: u64, history: usize) -> bool {
        let Some(here) = step.place.as_ref().and_then(|place| map.arrive(place)) else { return false };
        if let (Some(from), Some(way)) = (self.trail.here(), step.action.as_ref().and_then(action_direction))
        {
            map.walked(from, &way, here);
        }
        self.trail.push(here, turn, history)
    }
}
