//! The context in which a detector reads a step.

use super::{SharedSpending, WeighedProposal};
use crate::event::RunId;
use crate::facts::{AttemptPart, PromptOrigin};
use crate::fingerprint::{StepFingerprints, VocabularyTables};
use crate::place::{PlaceMap, PlaceTrail};
use crate::step::{Action, Step};

/// A step, with everything that is known about it before a detector reads it.
pub(crate) struct StepContext<'s> {
    pub(crate) step: &'s Step<'s>,
    /// The action in its canonical form, which does not depend on the spelling of the log.
    pub(crate) action: Option<&'s Action<'s>>,
    /// The origin of the step: a human, the harness, or the agent.
    pub(crate) origin: PromptOrigin,
    /// The part of the step in the decision of its message.
    pub(crate) attempt: AttemptPart,
    /// True if the step got further than all steps before it.
    pub(crate) further: bool,
    /// True if the run reports progress: a score, objectives, marks or places.
    pub(crate) measured: bool,
    /// True if the run reports progress by more than places, so that `stagnation` can judge it.
    pub(crate) scored: bool,
    /// True if the step reports that a service was not available, which is nobody's mistake.
    pub(crate) unavailable: bool,
    /// True if the agent insists on refused calls so often that the run has to end.
    pub(crate) insists: bool,
    /// True if a critic scored any action of the run.
    pub(crate) criticized: bool,
    /// True if the agent's previous step only waited.
    pub(crate) after_wait: bool,
    /// True if the agent's words name a position that it did not name before, such as the next page.
    pub(crate) moves_on: bool,
    /// The fingerprints of the step, if it has an action and no rule of the user allows it.
    pub(crate) prints: Option<&'s StepFingerprints<'s>>,
    /// Number of changes so far, the one of this step included.
    pub(crate) epoch: u64,
    /// The tables that explain actions and replies.
    pub(crate) tables: &'s VocabularyTables,
    pub(crate) run: &'s RunId,
    pub(crate) turn: u64,
    /// Number of turns of the run, this one included.
    pub(crate) turns: u64,
    /// The latest time and the first one, in milliseconds.
    pub(crate) now: Option<i64>,
    pub(crate) started: Option<i64>,
    /// Time since the previous step in milliseconds, if both have one.
    pub(crate) passed: Option<i64>,
    pub(crate) agent: &'s str,
    /// True if the agent is at another place than before.
    pub(crate) moved: bool,
    pub(crate) trail: &'s PlaceTrail,
    pub(crate) map: &'s PlaceMap,
    /// The review of the action before it was taken, if a critic scored it.
    pub(crate) weighed: Option<&'s WeighedProposal>,
    /// Money that this run and others had spent before the step, if the adapter knows it.
    pub(crate) shared: Option<&'s SharedSpending>,
}

impl StepContext<'_> {
    /// Returns whether neither a score nor a critic judges the run.
    pub(crate) fn is_unguided(&self) -> bool {
        !self.scored && !self.criticized
    }
}
