//! The recent places of one agent.

use serde::{Deserialize, Serialize};

use crate::memory::{HashKey, KEY_BYTES, RingBuffer};

/// Number of moves that are kept, without repeated stays: four decide, two more are displayed.
const MOVES: usize = 6;

/// The places of an agent after its last steps.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PlaceTrail {
    stays: RingBuffer<PlaceStay>,
    moves: RingBuffer<PlaceStay>,
    alternations: u32,
}

/// One step spent at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(HashKey, u64)", into = "(HashKey, u64)")]
pub(crate) struct PlaceStay {
    pub(crate) place: HashKey,
    pub(crate) turn: u64,
}

impl From<(HashKey, u64)> for PlaceStay {
    fn from((place, turn): (HashKey, u64)) -> Self {
        PlaceStay { place, turn }
    }
}

impl From<PlaceStay> for (HashKey, u64) {
    fn from(stay: PlaceStay) -> Self {
        (stay.place, stay.turn)
    }
}

impl PlaceTrail {
    /// Records the place of the agent after a turn. Returns whether it moved.
    pub(crate) fn push(&mut self, place: HashKey, turn: u64, history: usize) -> bool {
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

    /// Returns the current place.
    pub(crate) fn here(&self) -> Option<HashKey> {
        self.stays.last().map(|stay| stay.place)
    }

    /// Returns the last stays, newest first.
    pub(crate) fn newest(&self) -> impl Iterator<Item = &PlaceStay> {
        self.stays.newest()
    }

    /// Returns the upper bound of the snapshot size in bytes, for turn numbers of `digits` digits.
    pub(crate) fn bytes(&self, digits: usize) -> usize {
        50 + (self.stays.len() + self.moves.len()) * (KEY_BYTES + digits)
    }

    pub(crate) fn len(&self) -> usize {
        self.stays.len()
    }

    /// Returns the last moves without repeated stays, oldest first.
    pub(crate) fn moves(&self) -> impl DoubleEndedIterator<Item = &PlaceStay> {
        self.moves.iter()
    }

    /// Returns the two places of an oscillation A B A B in the last four moves, and the turn of the first A.
    pub(crate) fn oscillation(&self) -> Option<([HashKey; 2], u64)> {
        let mut moves = self.moves.newest();
        let (d, c, b, a) = (moves.next()?, moves.next()?, moves.next()?, moves.next()?);
        (a.place == c.place && b.place == d.place && a.place != b.place)
            .then_some(([a.place, b.place], a.turn))
    }

    /// Returns the number of consecutive moves that went back to the previous place.
    pub(crate) fn alternations(&self) -> u32 {
        self.alternations
    }
}
