//! The places one agent was at, step by step.

use serde::{Deserialize, Serialize};

use crate::memory::{KEY_BYTES, Key, Ring};

/// How many moves (stays collapsed) are kept: four decide, two more are shown.
const MOVES: usize = 6;

/// Where an agent was after each of its last steps.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PlaceTrail {
    stays: Ring<PlaceStay>,
    moves: Ring<PlaceStay>,
    alternations: u32,
}

/// One step spent at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(Key, u64)", into = "(Key, u64)")]
pub(crate) struct PlaceStay {
    pub(crate) place: Key,
    pub(crate) turn: u64,
}

impl From<(Key, u64)> for PlaceStay {
    fn from((place, turn): (Key, u64)) -> Self {
        PlaceStay { place, turn }
    }
}

impl From<PlaceStay> for (Key, u64) {
    fn from(stay: PlaceStay) -> Self {
        (stay.place, stay.turn)
    }
}

impl PlaceTrail {
    /// Notes where the agent is after this turn. True if it moved.
    pub(crate) fn push(&mut self, place: Key, turn: u64, history: usize) -> bool {
        let stay = PlaceStay { place, turn };
        let moved = self.here() != Some(place);
        self.stays.push(stay, history);
        if moved {
            let back = self.moves.newest().nth(1).is_some_and(|stay| stay.place == place);
            self.alternations = if back { self.alternations.saturating_add(1) } else { 0 };
            self.moves.push(stay, MOVES);
        }
        moved
    }

    /// Where the agent is.
    pub(crate) fn here(&self) -> Option<Key> {
        self.stays.last().map(|stay| stay.place)
    }

    /// The last steps, newest first.
    pub(crate) fn newest(&self) -> impl Iterator<Item = &PlaceStay> {
        self.stays.newest()
    }

    /// What it takes in a snapshot, at most, where a turn takes so many digits.
    pub(crate) fn bytes(&self, digits: usize) -> usize {
        50 + (self.stays.len() + self.moves.len()) * (KEY_BYTES + digits)
    }

    pub(crate) fn len(&self) -> usize {
        self.stays.len()
    }

    /// The last moves, oldest first, stays collapsed.
    pub(crate) fn moves(&self) -> impl DoubleEndedIterator<Item = &PlaceStay> {
        self.moves.iter()
    }

    /// A B A B, A ≠ B, in the last four moves: the two places, and the turn of the first A.
    pub(crate) fn oscillation(&self) -> Option<([Key; 2], u64)> {
        let mut moves = self.moves.newest();
        let (d, c, b, a) = (moves.next()?, moves.next()?, moves.next()?, moves.next()?);
        (a.place == c.place && b.place == d.place && a.place != b.place)
            .then_some(([a.place, b.place], a.turn))
    }

    /// How many moves in a row went back to where the agent came from.
    pub(crate) fn alternations(&self) -> u32 {
        self.alternations
    }
}
