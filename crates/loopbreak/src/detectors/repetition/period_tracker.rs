//! Finds the period of a sequence as it grows: for each period, it counts the steps in a row that equal the
//! step one period before.

use super::repeat_weight::WHOLE;
use crate::memory::{BoundedList, HashKey, RingBuffer, key_of_parts, snapshot_type};

/// The longest period that is tracked.
pub(crate) const LONGEST: usize = 12;
/// Number of turns that a finding lists.
const SHOWN_TURNS: usize = 4;

snapshot_type! {
    /// A sequence of keys that may repeat periodically.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(crate) struct PeriodTracker {
        /// The last keys and their turns.
        last: RingBuffer<(HashKey, u64), LONGEST>,
        /// For each period: the number of steps in a row that equal the step one period before, and their total
        /// weight.
        equal: BoundedList<(u32, u32), LONGEST>,
    }
}

/// A sequence that repeats with a period.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RepeatedPeriod {
    pub(crate) period: u32,
    /// Number of rounds, including the first.
    pub(crate) times: u32,
    /// Number of rounds, with each step counted by its weight.
    pub(crate) weighed: u32,
    pub(crate) since: u64,
}

impl PeriodTracker {
    /// Adds a key. Returns the shortest period with at least two full rounds at the end of the sequence.
    pub(crate) fn push(
        &mut self,
        key: HashKey,
        turn: u64,
        weight: u32,
        longest: u32,
    ) -> Option<RepeatedPeriod> {
        while !self.equal.is_full() {
            self.equal.push((0, 0));
        }
        let mut repeats = false;
        for (equal, (before, _)) in self.equal.iter_mut().zip(self.last.newest()) {
            if *before == key {
                *equal = (equal.0.saturating_add(1), equal.1.saturating_add(weight));
                repeats = true;
            } else {
                *equal = (0, 0);
            }
        }
        self.last.push((key, turn));
        if repeats { self.now(longest) } else { None }
    }

    /// Returns the shortest period with at least two full rounds at the end of the sequence.
    pub(crate) fn now(&self, longest: u32) -> Option<RepeatedPeriod> {
        let (period, (equal, weight)) =
            (1..=longest).zip(&*self.equal).find(|(period, (equal, _))| equal >= period)?;
        let began = (equal + period) as usize;
        Some(RepeatedPeriod {
            period,
            times: equal / period + 1,
            weighed: weight / (WHOLE * period) + 1,
            // If the first round is no longer remembered, this is the oldest turn that is.
            since: self.last.newest().take(began).next_back().map_or(0, |(_, turn)| *turn),
        })
    }

    /// Returns the next key if the sequence continues with this period.
    pub(crate) fn next(&self, period: u32) -> Option<HashKey> {
        self.last.newest().nth(period as usize - 1).map(|(key, _)| *key)
    }

    /// Returns the turns of the last calls that equal the newest one, oldest first.
    pub(crate) fn turns(&self, period: u32) -> Vec<u64> {
        let equal = self.last.newest().step_by(period as usize).take(SHOWN_TURNS);
        let mut turns: Vec<u64> = equal.map(|(_, turn)| *turn).collect();
        turns.reverse();
        turns
    }

    /// Returns the identity of the loop with this period: the key of its smallest rotation.
    pub(crate) fn identity(&self, period: u32) -> HashKey {
        let round: Vec<HashKey> = self.last.newest().take(period as usize).map(|(key, _)| *key).collect();
        let rotations = (0..round.len()).map(|by| [&round[by..], &round[..by]].concat());
        key_of_parts(&rotations.min().unwrap_or_default())
    }
}
