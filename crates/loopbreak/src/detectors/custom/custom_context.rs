//! The input of a detector of the user.

use crate::detectors::{ProposalReview, StepContext};
use crate::evidence::redact_and_truncate;
use crate::step::Step;
use crate::verdict::Severity;

/// A step, and the facts about it that the guard knows.
pub struct CustomContext<'c>(pub(super) &'c StepContext<'c>);

impl<'c> CustomContext<'c> {
    /// Returns the step.
    pub fn step(&self) -> &'c Step<'c> {
        self.0.step
    }

    /// Returns the turn of the step, as the guard counts.
    pub fn turn(&self) -> u64 {
        self.0.turn
    }

    /// Returns the agent that took the step.
    pub fn agent(&self) -> &'c str {
        self.0.agent
    }

    /// Returns whether the step got further than all steps before it: a new highest score, a completed objective, or a
    /// mark of progress.
    pub fn made_progress(&self) -> bool {
        self.0.further
    }

    /// Returns whether the agent is at another place than before the step.
    pub fn moved(&self) -> bool {
        self.0.moved
    }
}

/// Receives the objections of a detector to a proposal.
pub struct CustomReview<'r>(pub(super) &'r mut ProposalReview);

impl CustomReview<'_> {
    /// Objects that the proposal would continue a loop. Its score changes by `policy.repeat_penalty`. A proposal without
    /// a score is refused if the severity is [`Severity::Hard`]. The reason completes a sentence: "the proposal …".
    pub fn object(&mut self, severity: Severity, reason: &str) {
        self.0.object_to_repeat(severity, redact_and_truncate(reason));
    }
}
