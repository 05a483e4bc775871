//! The figures of one episode that a contest evaluates.

use serde::Serialize;

/// The figures of one episode.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GameRecord {
    /// Name of the ending.
    pub ending: String,
    /// Number of turns played.
    pub turns: u64,
    /// Final score.
    pub score: i64,
    /// Turns at which the score reached a new maximum.
    pub gains: Vec<u64>,
    /// Turn of the last progress: a point or an objective.
    pub last_progress: u64,
    /// Turn at which Loopbreak stopped the episode.
    pub stopped: Option<u64>,
    /// Loops that were detected and lasted ten turns, or were left before.
    pub loops: u64,
    /// Loops that were left within ten turns and not resumed within twenty.
    pub broken: u64,
    /// Proposals to continue a detected loop although there was an alternative.
    pub returns: u64,
    /// Such proposals whose score was lowered.
    pub penalized: u64,
}

impl GameRecord {
    /// Returns the number of turns after the last progress.
    pub fn wasted(&self) -> u64 {
        self.turns.saturating_sub(self.last_progress)
    }

    /// Returns whether the score rose after this turn.
    pub fn gains_after(&self, turn: u64) -> bool {
        self.gains.iter().any(|gain| *gain > turn)
    }
}
