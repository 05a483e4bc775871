//! Verdicts: findings, decisions and advice about a step.

mod advice;
mod context_entry;
mod decision;
mod finding;
mod intervention;
mod loop_id;
mod ruling;
mod severity;
mod step_progress;
mod task_update;

use serde::{Deserialize, Serialize};

use crate::event::Event;

pub use crate::name_enum::UnknownName;
pub use advice::{Advice, Audience};
pub use context_entry::{ContextEntry, ContextEntryType, ContextTopic};
pub use decision::{Decision, RunStop};
pub use finding::Finding;
pub use intervention::Intervention;
pub use loop_id::{InvalidLoopId, LoopId};
pub use ruling::{ProposalHint, Ruling, ScoreAdjustment};
pub use severity::Severity;
pub use step_progress::StepProgress;
pub use task_update::{TaskUpdate, TaskUpdateStatus};

/// The answer of a guard to a step. It can be written as JSON and read back.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The turn of the step, as the guard counts.
    pub turn: u64,
    /// True if the guard gave the step another turn number, because the step's own number does not come after
    /// the last turn.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub renumbered: bool,
    /// Findings that are new, or worse than when last reported.
    pub findings: Vec<Finding>,
    /// The loops that this step belongs to, reported or not. A loop that is missing here was left.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sighted: Vec<LoopId>,
    /// Decisions of the policy about the findings.
    #[serde(rename = "acts")]
    pub decisions: Vec<Decision>,
    /// Texts for the agent, the critic and the user.
    pub advice: Vec<Advice>,
    /// Entries for the context that agents share.
    pub context: Vec<ContextEntry>,
    /// Tasks whose state has to be changed.
    pub tasks: Vec<TaskUpdate>,
    /// The ruling on the step's action, if the critic scored it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruling: Option<Ruling>,
    /// Events, for the log.
    pub events: Vec<Event>,
    /// Set if the run has to end now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<RunStop>,
    /// The end of the run that is due, set from the step at which `stop` is set until the user speaks or the run makes
    /// progress. An adapter that could not end the run then ends it as soon as it can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_due: Option<RunStop>,
    /// The turn at which the current loop began, so that an adapter can drop the loop from the context of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rewind_to: Option<u64>,
    /// True if the run is held out: it is only observed (`policy.holdout`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub holdout: bool,
    /// The kinds of progress that the step made.
    pub progress: StepProgress,
}

impl Verdict {
    /// Returns the strongest intervention that has to be carried out.
    pub fn strongest(&self) -> Option<Intervention> {
        let enforced = self.decisions.iter().filter(|decision| decision.enforced);
        enforced.map(|decision| decision.intervention).max()
    }
}
