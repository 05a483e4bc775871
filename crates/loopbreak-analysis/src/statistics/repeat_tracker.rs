//! Finds steps that repeat earlier steps.

use std::collections::VecDeque;
use std::hash::BuildHasher as _;

use foldhash::fast::FixedState;
use loopbreak::Step;
use serde::{Deserialize, Serialize};

/// Number of different steps that are remembered.
const REMEMBERED: usize = 512;

/// Remembers recent actions with their outcomes, and the turn at which each was first.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct RepeatTracker {
    known: VecDeque<(u64, u64)>,
}

impl RepeatTracker {
    /// Adds a step. Returns the turn of the same step with the same outcome, if it is recent.
    pub fn observe(&mut self, step: &Step<'_>, turn: u64) -> Option<u64> {
        let action = step.action.as_ref()?;
        let outcome = step.outcome.as_ref().and_then(|outcome| outcome.text.as_deref());
        let place = step.place.as_ref().and_then(|place| place.name.as_deref());
        let agent = step.agent.as_deref();
        let hash = FixedState::default().hash_one((action.line(), outcome, place, agent));
        if let Some((_, first)) = self.known.iter().find(|(known, _)| *known == hash) {
            return Some(*first);
        }
        if self.known.len() == REMEMBERED {
            self.known.pop_front();
        }
        self.known.push_back((hash, turn));
        None
    }
}
