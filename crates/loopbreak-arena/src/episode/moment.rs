//! What happens in an episode, for those who look on while it is played.

use loopbreak::{Ruling, Usage, Verdict};

use crate::failure::Failure;
use crate::map::Map;
use crate::world::Sight;

/// An action that was taken.
#[derive(Clone, Debug)]
pub struct Taken<'t> {
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
pub enum Moment<'m> {
    /// The game began.
    Begun {
        /// What is to be seen first.
        sight: &'m Sight,
        /// The map.
        map: &'m Map,
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
        failure: &'m Failure,
        /// How many times in a row by now.
        in_a_row: usize,
    },
    /// The critic gave no score.
    CriticFailed {
        /// The turn that was to come.
        turn: u64,
        /// Why.
        failure: &'m Failure,
    },
    /// A turn was played.
    Turn {
        /// What was done.
        taken: Taken<'m>,
        /// What is to be seen now.
        sight: &'m Sight,
        /// The map.
        map: &'m Map,
        /// The open objectives.
        objectives: &'m [String],
        /// What Loopbreak says.
        verdict: &'m Verdict,
    },
}
