//! The last values of a sequence.

use std::collections::VecDeque;

use serde::{Deserialize, Deserializer, Serialize};

use super::SnapshotSize;
use super::snapshot_size::{array_bytes, max_array_bytes};

/// The last values, at most `N`.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct RingBuffer<T, const N: usize>(VecDeque<T>);

impl<T, const N: usize> Default for RingBuffer<T, N> {
    fn default() -> Self {
        RingBuffer(VecDeque::new())
    }
}

impl<T, const N: usize> RingBuffer<T, N> {
    /// Adds a value, and removes the oldest one if there is no room.
    pub(crate) fn push(&mut self, value: T) {
        self.push_within(value, N);
    }

    /// Adds a value, and removes the oldest ones so that at most `capacity` values remain. The capacity is a setting, and
    /// therefore not part of the memory.
    pub(crate) fn push_within(&mut self, value: T, capacity: usize) {
        while self.0.len() >= capacity.clamp(1, N) {
            self.0.pop_front();
        }
        self.0.push_back(value);
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Iterates over the values, oldest first.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator {
        self.0.iter()
    }

    /// Iterates over the values, newest first.
    pub(crate) fn newest(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator {
        self.0.iter().rev()
    }

    pub(crate) fn last(&self) -> Option<&T> {
        self.0.back()
    }

    /// Removes all but the newest values.
    pub(crate) fn keep_newest(&mut self, count: usize) {
        while self.0.len() > count {
            self.0.pop_front();
        }
    }

    pub(crate) fn retain(&mut self, keep: impl FnMut(&T) -> bool) {
        self.0.retain(keep);
    }

    pub(crate) fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut T> {
        self.0.iter_mut()
    }
}

impl<'de, T: Deserialize<'de>, const N: usize> Deserialize<'de> for RingBuffer<T, N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut ring = RingBuffer(VecDeque::deserialize(deserializer)?);
        ring.keep_newest(N);
        Ok(ring)
    }
}

impl<T: SnapshotSize, const N: usize> SnapshotSize for RingBuffer<T, N> {
    const VARIES: bool = true;

    fn max_bytes(digits: usize) -> usize {
        max_array_bytes::<T>(N, digits)
    }

    fn snapshot_bytes(&self, digits: usize) -> usize {
        array_bytes(self.0.len(), self.0.iter(), digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_value_is_removed_first() {
        let mut ring = RingBuffer::<_, 3>::default();
        for value in 1..=5 {
            ring.push(value);
        }
        assert_eq!(ring.iter().copied().collect::<Vec<_>>(), [3, 4, 5]);
        assert_eq!(ring.newest().copied().collect::<Vec<_>>(), [5, 4, 3]);
    }

    #[test]
    fn a_smaller_capacity_takes_effect_at_the_next_push() {
        let mut ring = RingBuffer::<_, 5>::default();
        for value in 1..=5 {
            ring.push(value);
        }
        ring.push_within(6, 2);
        assert_eq!(ring.iter().copied().collect::<Vec<_>>(), [5, 6]);
    }

    #[test]
    fn a_stored_buffer_that_is_too_long_keeps_its_newest_values() {
        let ring: RingBuffer<u32, 2> = serde_json::from_str("[1,2,3]").unwrap();
        assert_eq!(ring.iter().copied().collect::<Vec<_>>(), [2, 3]);
    }
}
