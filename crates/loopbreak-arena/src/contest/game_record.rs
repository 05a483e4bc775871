//! What is left of an episode once it is over: the figures that contests are about.

use serde::Serialize;

/// An episode in figures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GameRecord {
    /// How it ended, by its mark.
    pub ending: String,
    /// The turns that were played.
    pub turns: u64,
    /// The score at the end.
    pub score: i64,
    /// The turns at which the score rose above all before.
    pub gains: Vec<u64>,
    /// The turn of the last progress: a point, or an objective.
    pub last_progress: u64,
    /// The turn at which Loopbreak ended it.
    pub stopped: Option<u64>,
    /// Loops that were seen and had their ten turns, or were left before.
    pub loops: u64,
    /// Those that were left within ten turns, and not gone back to within twenty.
    pub broken: u64,
    /// Proposals to go on with a loop that was seen, where there was something else to do.
    pub returns: u64,
    /// Those of them that lost worth.
    pub penalized: u64,
}

impl GameRecord {
    /// Turns after the last progress: they brought nothing.
    pub fn wasted(&self) -> u64 {
        self.turns.saturating_sub(self.last_progress)
    }

    /// Whether the score rose after this turn.
    pub fn gains_after(&self, turn: u64) -> bool {
        self.gains.iter().any(|gain| *gain > turn)
    }
}
