//! What a guard says about a step: findings, decisions, advice.

mod intervention;
mod loop_id;
mod severity;

use serde::{Deserialize, Serialize};

use crate::detectors::{DetectorName, Pattern};
use crate::event::Event;
use crate::evidence::Evidence;
use crate::name_enum::name_enum;
use crate::policy::Ruling;

pub use crate::name_enum::UnknownName;
pub use crate::policy::{ContextEntry, ProposalHint, ScoreAdjustment, TaskUpdate};
pub use intervention::Intervention;
pub use loop_id::{InvalidLoopId, LoopId};
pub use severity::Severity;

/// What a detector saw.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// The turn it was seen at.
    pub turn: u64,
    /// Since which turn it has been going on.
    pub since: u64,
    /// Who saw it.
    pub detector: DetectorName,
    /// What it is.
    pub pattern: Pattern,
    /// How bad it is.
    pub severity: Severity,
    /// What the policy does about it; always there on a hard finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intervention: Option<Intervention>,
    /// Which loop it is a finding of.
    #[serde(rename = "loop")]
    pub loop_id: LoopId,
    /// Which agent of the run.
    pub agent: String,
    /// False where the detector or the whole guard only observes.
    #[serde(rename = "acted")]
    pub enforced: bool,
    /// How often it repeated, in the detector's own measure.
    pub count: u32,
    /// What it rests on.
    pub evidence: Evidence,
}

/// One act of the policy: an intervention, why, and whether it is to be carried out.
#[derive(Clone, Debug, Serialize)]
pub struct Decision {
    /// What to do.
    pub intervention: Intervention,
    /// Whose finding led to it.
    pub detector: DetectorName,
    /// What the finding was.
    pub pattern: Pattern,
    /// Which loop.
    #[serde(rename = "loop")]
    pub loop_id: LoopId,
    /// The task concerned, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Why, in one sentence.
    pub reason: String,
    /// False in observe mode: computed and reported, never to be carried out.
    #[serde(rename = "acted")]
    pub enforced: bool,
}

name_enum! {
    /// Whom a text is for.
    "audience" pub enum Audience {
        /// The agent. The text goes into its next context.
        Agent = "agent",
        /// The critic that scores proposals.
        Critic = "critic",
        /// The human who runs the agent.
        User = "user",
    }
}

/// A text for someone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Advice {
    /// For whom.
    pub audience: Audience,
    /// About which detector's finding.
    pub detector: DetectorName,
    /// The text.
    pub text: String,
}

/// Why the run is to be stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunStop {
    /// The pattern that names the reason, such as `stuck_no_progress`.
    pub reason: Pattern,
    /// Whose finding it was.
    pub detector: DetectorName,
    /// How the end is to be marked, so that nobody takes it for an end inside the agent's own world.
    pub ending: &'static str,
}

impl RunStop {
    /// The mark of every ending that Loopbreak causes.
    pub const ENDING: &'static str = "loop_break";
}

/// In which way a step was progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepProgress {
    /// The score moved in a way that counts.
    pub score: bool,
    /// An objective was completed for the first time.
    pub objective: bool,
    /// The log marks it.
    pub mark: bool,
}

impl StepProgress {
    /// Whether there was any.
    pub fn any(self) -> bool {
        self.score || self.objective || self.mark
    }
}

/// What to do now.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Verdict {
    /// The turn it is about, as the guard counts.
    pub turn: u64,
    /// The step named a turn that is not after the one before; it was counted on.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub renumbered: bool,
    /// What the detectors saw anew or seen worse than before.
    pub findings: Vec<Finding>,
    /// The loops this step belongs to, told of before or not: what is not sighted any more was left.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sighted: Vec<LoopId>,
    /// What to do about it.
    #[serde(rename = "acts")]
    pub decisions: Vec<Decision>,
    /// Texts for the agent, the critic, the user.
    pub advice: Vec<Advice>,
    /// Entries for the agent's shared context.
    pub context: Vec<ContextEntry>,
    /// Tasks whose state is to be changed.
    pub tasks: Vec<TaskUpdate>,
    /// The ruling on the step's action, where the critic had scored it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ruling: Option<Ruling>,
    /// What happened, for the log.
    pub events: Vec<Event>,
    /// Set where the run is to be ended now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<RunStop>,
    /// In which way the step was progress.
    pub progress: StepProgress,
}

impl Verdict {
    /// The strongest intervention that is to be carried out.
    pub fn strongest(&self) -> Option<Intervention> {
        self.decisions.iter().filter(|decision| decision.enforced).map(|decision| decision.intervention).max()
    }
}
