//! A step, as the detectors see it.

use serde::Serialize;

use super::{ActionExplanation, OutcomeExplanation, SignatureExplanation};
use crate::name_enum::name_enum;
use crate::step::HarnessEvent;

/// A step, as the detectors see it. Texts are shortened, and secrets in them are masked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct StepExplanation {
    /// Id of the run; absent if the steps name none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The turn.
    pub turn: u64,
    /// True if the step names another turn, which cannot follow the one before.
    pub renumbered: bool,
    /// Name of the agent.
    pub agent: String,
    /// Origin of the step.
    pub author: StepAuthor,
    /// Event of the harness, if there is one: as the log names it, or as the message reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub harness: Option<HarnessEvent>,
    /// True if the step was proposed and refused, so that it is not a turn.
    pub refused: bool,
    /// True if the step got further than all steps before it: a new highest score, a completed objective, a mark.
    pub further: bool,
    /// The part of the step in the decision of its message, if the message made several calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<BatchExplanation>,
    /// The action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<ActionExplanation>,
    /// The outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<OutcomeExplanation>,
    /// Fingerprint of action and outcome together. For a command, the number of changes so far is part of it: after a
    /// change, the same call is a new experiment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// Signature of the output, if it has text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<SignatureExplanation>,
}

name_enum! {
    /// Origin of a step.
    "origin of a step" pub enum StepAuthor {
        /// The agent acted or spoke.
        Agent = "agent",
        /// A human spoke, or denied a call.
        User = "user",
        /// The harness of the agent did something that nobody said.
        Harness = "harness",
    }
}

/// The part of a step in the decision of its message. The calls of one message are one decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BatchExplanation {
    /// The value that all calls of the message share.
    pub name: String,
    /// True if an earlier call of the message was identical.
    pub repeats_call: bool,
    /// True if an earlier call of the message failed, so that this failure is the same attempt.
    pub repeats_failure: bool,
}

impl BatchExplanation {
    pub(crate) fn new(name: String, repeats_call: bool, repeats_failure: bool) -> Self {
        BatchExplanation { name, repeats_call, repeats_failure }
    }
}
