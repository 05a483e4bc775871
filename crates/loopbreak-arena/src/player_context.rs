//! What a player is shown before each turn: texts, and nothing else.

use serde::Serialize;

/// A proposal of this turn that was refused, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RefusedProposal {
    /// What was proposed.
    pub action: String,
    /// What the critic gave for it.
    pub base: f64,
    /// What it was found to be worth.
    pub score: f64,
    /// Why, in words.
    pub reasons: Vec<String>,
}

/// Something that was done, and how the world answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PastAction {
    /// The command.
    pub action: String,
    /// The beginning of the answer.
    pub answer: String,
}

/// What a player knows: what the game said, what it was advised, what was refused.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PlayerContext {
    /// The turn that is to come.
    pub turn: u64,
    /// What was done last.
    pub last_action: Option<String>,
    /// What the game said to that, or at its beginning.
    pub text: String,
    /// The name of the place, if the world tells of it.
    pub place: Option<String>,
    /// The ways out that are known.
    pub exits: Vec<String>,
    /// The score, if the world tells of it.
    pub score: Option<i32>,
    /// What is carried, as far as it is known: what the world tells, or what it answered when it was asked last.
    pub inventory: Option<String>,
    /// What was done lately, oldest first, each with what came of it.
    pub recent: Vec<PastAction>,
    /// What is to be reached.
    pub objectives: Vec<String>,
    /// What Loopbreak says to the agent.
    pub advice: Vec<String>,
    /// What it says to the critic.
    pub critic_advice: Vec<String>,
    /// What was proposed for this turn and refused.
    pub refused: Vec<RefusedProposal>,
}

impl PlayerContext {
    /// Whether Loopbreak wants the player to do something else: it gave advice, or lowered what was proposed. What the
    /// critic alone refused does not count.
    pub fn is_admonished(&self) -> bool {
        !self.advice.is_empty() || self.refused.iter().any(|refusal| refusal.score < refusal.base)
    }

    /// How many proposals of this turn Loopbreak lowered, so that they were refused.
    pub fn lowered(&self) -> usize {
        self.refused.iter().filter(|refusal| refusal.score < refusal.base).count()
    }

    /// Whether this was refused in this turn.
    pub fn was_refused(&self, action: &str) -> bool {
        self.refused.iter().any(|refusal| refusal.action == action)
    }
}
