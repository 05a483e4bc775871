//! What happens in an episode, for those who look on while it is played.

use loopbreak::{Ruling, Usage, Verdict};

use crate::agent_failure::AgentFailure;
use crate::world::WorldMap;
use crate::world::WorldObservation;

/// An action that was taken.
#[derive(Clone, Debug)]
pub struct TakenAction<'t> {
    /// The turn.
    pub turn: u64,
    /// The command.
    pub action: &'t str,
    /// Why, in the player's words.
    pub reason: &'t str,
    /// What the critic gave for it.
    pub critic: Option<f64>,
    /// What it was worth in the end.
    pub score: f64,
    /// It was taken although it had been refused.
    pub overridden: bool,
    /// What was used since the turn before.
    pub usage: Option<Usage>,
}

/// Something that happened.
#[derive(Clone, Debug)]
pub enum EpisodeEvent<'m> {
    /// The game began.
    Begun {
        /// What is to be seen first.
        observation: &'m WorldObservation,
        /// The map.
        map: &'m WorldMap,
    },
    /// A proposal was refused.
    Refused {
        /// The turn it was for.
        turn: u64,
        /// The command.
        action: &'m str,
        /// What it was found to be worth.
        ruling: &'m Ruling,
        /// Why, in words.
        reasons: &'m [String],
    },
    /// The player gave no proposal.
    PlayerFailed {
        /// The turn that was to come.
        turn: u64,
        /// Why.
        failure: &'m AgentFailure,
        /// How many times in a row by now.
        in_a_row: usize,
    },
    /// The critic gave no score.
    CriticFailed {
        /// The turn that was to come.
        turn: u64,
        /// Why.
        failure: &'m AgentFailure,
    },
    /// A turn was played.
    Turn {
        /// What was done.
        taken: TakenAction<'m>,
        /// What is to be seen now.
        observation: &'m WorldObservation,
        /// The map.
        map: &'m WorldMap,
        /// The open objectives.
        objectives: &'m [String],
        /// What Loopbreak says.
        verdict: &'m Verdict,
    },
}
