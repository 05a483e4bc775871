//! The information that a player gets before each turn: texts only.

use serde::Serialize;

/// A proposal of this turn that was refused.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RefusedProposal {
    /// Proposed command.
    pub action: String,
    /// Score given by the critic.
    pub base: f64,
    /// Score after the adjustments of Loopbreak.
    pub score: f64,
    /// Reasons for the refusal.
    pub reasons: Vec<String>,
}

/// A past action and the answer of the world.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PastAction {
    /// The command.
    pub action: String,
    /// Beginning of the answer.
    pub answer: String,
}

/// The knowledge of a player: the text of the game, advice, and refused proposals.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PlayerContext {
    /// Number of the next turn.
    pub turn: u64,
    /// Last action.
    pub last_action: Option<String>,
    /// Answer of the game to the last action, or its opening text.
    pub text: String,
    /// Name of the place, if the world reports it.
    pub place: Option<String>,
    /// Known exits.
    pub exits: Vec<String>,
    /// Score, if the world reports it.
    pub score: Option<i32>,
    /// Inventory as far as it is known: as reported by the world, or as in its last answer to an inventory command.
    pub inventory: Option<String>,
    /// Recent actions, oldest first, each with its answer.
    pub recent: Vec<PastAction>,
    /// Open objectives.
    pub objectives: Vec<String>,
    /// Advice of Loopbreak to the agent.
    pub advice: Vec<String>,
    /// Advice of Loopbreak to the critic.
    pub critic_advice: Vec<String>,
    /// Proposals of this turn that were refused.
    pub refused: Vec<RefusedProposal>,
}

impl PlayerContext {
    /// Returns whether Loopbreak wants the player to do something else: it gave advice, or lowered the score of a
    /// proposal. Refusals by the critic alone do not count.
    pub fn is_admonished(&self) -> bool {
        !self.advice.is_empty() || self.refused.iter().any(|refusal| refusal.score < refusal.base)
    }

    /// Returns the number of refused proposals of this turn whose score Loopbreak lowered.
    pub fn lowered(&self) -> usize {
        self.refused.iter().filter(|refusal| refusal.score < refusal.base).count()
    }

    /// Returns whether this action was refused in this turn.
    pub fn was_refused(&self, action: &str) -> bool {
        self.refused.iter().any(|refusal| refusal.action == action)
    }
}
