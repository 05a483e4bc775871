//! What a guard says of a step: findings, interventions, advice.

use serde::{Deserialize, Serialize};

use crate::detect::DetectorName;
use crate::event::Event;
use crate::evidence::Evidence;
use crate::policy::{ContextEntry, Ruling, TaskUpdate};

/// How sure and how bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth a word, no more.
    Hint,
    /// The agent should change course.
    Warn,
    /// Something has to be done about it.
    Hard,
}

/// What is done about a finding: the rungs of the ladder, mildest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Intervention {
    /// A word to the agent or the critic.
    Hint,
    /// A warning to the agent.
    Warn,
    /// The worth of a proposal is lowered.
    Penalize,
    /// A proposal is refused.
    Reject,
    /// The agent is moved on to another task.
    ForceNext,
    /// The agent may remove the blockers of this one task.
    UnblockAuthority,
    /// A human is called.
    Escalate,
    /// The run is ended.
    Stop,
}

impl Intervention {
    /// All rungs, mildest first.
    pub const LADDER: [Intervention; 8] = [
        Intervention::Hint,
        Intervention::Warn,
        Intervention::Penalize,
        Intervention::Reject,
        Intervention::ForceNext,
        Intervention::UnblockAuthority,
        Intervention::Escalate,
        Intervention::Stop,
    ];

    /// The name in all output.
    pub fn as_str(self) -> &'static str {
        match self {
            Intervention::Hint => "hint",
            Intervention::Warn => "warn",
            Intervention::Penalize => "penalize",
            Intervention::Reject => "reject",
            Intervention::ForceNext => "force_next",
            Intervention::UnblockAuthority => "unblock_authority",
            Intervention::Escalate => "escalate",
            Intervention::Stop => "stop",
        }
    }
}

/// The name of a loop: the same for every finding of it, and for its rotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LoopId(pub u64);

impl std::fmt::Display for LoopId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:012x}", self.0)
    }
}

impl Serialize for LoopId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

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
    pub pattern: &'static str,
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
    pub acted: bool,
    /// How often it repeated, in the detector's own measure.
    pub count: u32,
    /// What it rests on.
    pub evidence: Evidence,
}

/// One act of the policy: an intervention, why, and whether it is to be carried out.
#[derive(Clone, Debug, Serialize)]
pub struct Act {
    /// What to do.
    pub intervention: Intervention,
    /// Whose finding led to it.
    pub detector: DetectorName,
    /// What the finding was.
    pub pattern: &'static str,
    /// Which loop.
    #[serde(rename = "loop")]
    pub loop_id: LoopId,
    /// The task concerned, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Why, in one sentence.
    pub reason: String,
    /// False in observe mode: computed and reported, never to be carried out.
    pub acted: bool,
}

/// For whom a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Audience {
    /// The agent itself: goes into its next context.
    Agent,
    /// The critic that judges proposals.
    Critic,
    /// The human who runs the agent.
    User,
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
pub struct Stop {
    /// The pattern that names the reason, such as `stuck_no_progress`.
    pub reason: &'static str,
    /// Whose finding it was.
    pub detector: DetectorName,
    /// How the end is to be marked, so that nobody takes it for an end inside the agent's own world.
    pub ending: &'static str,
}

impl Stop {
    /// The mark of every ending that Loopbreak causes.
    pub const ENDING: &'static str = "loop_break";
}

/// In which way a step was progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// The score moved in a way that counts.
    pub score: bool,
    /// An objective was completed for the first time.
    pub objective: bool,
    /// The log marks it.
    pub mark: bool,
}

impl Progress {
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
    pub acts: Vec<Act>,
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
    pub stop: Option<Stop>,
    /// In which way the step was progress.
    pub progress: Progress,
}

impl Verdict {
    /// The strongest intervention that is to be carried out.
    pub fn strongest(&self) -> Option<Intervention> {
        self.acts.iter().filter(|act| act.acted).map(|act| act.intervention).max()
    }
}
