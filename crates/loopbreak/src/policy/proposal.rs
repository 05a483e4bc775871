//! Proposals: actions that are not yet carried out.

use crate::step::{Action, Place, StepText};

/// An action that is not yet carried out.
#[derive(Clone, Debug, Default)]
pub struct Proposal<'a> {
    /// The action.
    pub action: Action<'a>,
    /// The critic's score. A proposal without a score starts at the highest score. It is refused if it would
    /// continue a loop with a hard finding, but not a loop that only led to a warning.
    pub score: Option<f64>,
    /// The agent that proposes it; the main agent if absent.
    pub agent: Option<StepText<'a>>,
    /// The place of the agent; the last one that the guard saw if absent.
    pub place: Option<Place<'a>>,
}

impl<'a> Proposal<'a> {
    /// Creates a proposal of the main agent, with the critic's score.
    pub fn new(action: impl Into<StepText<'a>>, score: f64) -> Self {
        Proposal { action: Action::new(action), score: Some(score), ..Proposal::default() }
    }
}
