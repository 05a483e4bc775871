//! Calls of an agent.

use crate::step::{Action, EpochMillis, Label, Step, StepText};

/// A call that an agent wants to make, or has made.
#[derive(Clone, Debug, Default)]
pub struct AgentCall<'a> {
    /// The tool and its arguments.
    pub action: Action<'a>,
    /// The agent; the main agent if absent.
    pub agent: Option<StepText<'a>>,
    /// Same value on all calls that one message of the agent makes. They are one decision.
    pub batch: Option<Label<'a>>,
    /// The current time.
    pub at: Option<EpochMillis>,
}

impl<'a> From<Action<'a>> for AgentCall<'a> {
    fn from(action: Action<'a>) -> Self {
        AgentCall { action, ..AgentCall::default() }
    }
}

impl<'a> AgentCall<'a> {
    /// Returns the step of the call, without an outcome.
    pub(super) fn step(&self) -> Step<'a> {
        Step {
            action: Some(self.action.clone()),
            agent: self.agent.clone(),
            batch: self.batch.clone(),
            at: self.at,
            ..Step::default()
        }
    }
}
