//! The recent places of one agent.

use crate::memory::{HashKey, RingBuffer, snapshot_row, snapshot_type};

/// Number of moves that are kept, without repeated stays: four decide, two more are displayed.
const MOVES: usize = 6;
/// Largest number of steps that a setting can ask for.
const STAYS: usize = 50;

snapshot_type! {
    /// The places of an agent after its last steps.
    #[derive(Clone, Debug, Default)]
    pub(crate) struct PlaceTrail {
        stays: RingBuffer<PlaceStay, STAYS>,
        moves: RingBuffer<PlaceStay, MOVES>,
        alternations: u32,
    }
}

snapshot_row! {
    /// One step spent at a place.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) struct PlaceStay {
        pub(crate) place: HashKey,
        pub(crate) turn: u64,
    }
}

impl PlaceTrail {
    /// Records the place of the agent after a turn. Returns whether it moved.
    pub(crate) fn push(&mut self, place: HashKey, turn: u64, history: usize) -> bool {
        let stay = PlaceStay { place, turn };
        let moved = self.here() != Some(place);
        self.stays.push_within(stay, history);
        if moved {
            let back = self.moves.newest().nth(1).is_some_and(|stay| stay.place == place);
            self.alternations = if back { self.alternations.saturating_add(1) } else { 0 };
            self.moves.push(stay);
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
