//! The events of an episode, for observers.

use loopbreak::{Ruling, Usage, Verdict};

use crate::agent_failure::AgentFailure;
use crate::world::WorldMap;
use crate::world::WorldObservation;

/// An action that was taken.
#[derive(Clone, Debug)]
pub struct TakenAction<'t> {
    /// Turn number.
    pub turn: u64,
    /// The command.
    pub action: &'t str,
    /// Reason given by the player.
    pub reason: &'t str,
    /// Score given by the critic.
    pub critic: Option<f64>,
    /// Final score.
    pub score: f64,
    /// True if it was taken although it had been refused.
    pub overridden: bool,
    /// Usage since the previous turn.
    pub usage: Option<Usage>,
}

/// An event of an episode.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum EpisodeEvent<'m> {
    /// The game started.
    Begun {
        /// First observation.
        observation: &'m WorldObservation,
        /// The map.
        map: &'m WorldMap,
    },
    /// A proposal was refused.
    Refused {
        /// Turn number.
        turn: u64,
        /// The command.
        action: &'m str,
        /// Ruling of the guard.
        ruling: &'m Ruling,
        /// Reasons for the refusal.
        reasons: &'m [String],
    },
    /// The player gave no proposal.
    PlayerFailed {
        /// Number of the turn that was to be played.
        turn: u64,
        /// The failure.
        failure: &'m AgentFailure,
        /// Number of consecutive failures.
        in_a_row: usize,
    },
    /// The critic gave no score.
    CriticFailed {
        /// Number of the turn that was to be played.
        turn: u64,
        /// The failure.
        failure: &'m AgentFailure,
    },
    /// A turn was played.
    Turn {
        /// The action.
        taken: TakenAction<'m>,
        /// Observation after the action.
        observation: &'m WorldObservation,
        /// The map.
        map: &'m WorldMap,
        /// Open objectives.
        objectives: &'m [String],
        /// Verdict of the guard.
        verdict: &'m Verdict,
    },
}
