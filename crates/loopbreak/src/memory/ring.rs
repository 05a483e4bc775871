//! The last values of a sequence.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// The last `capacity` values. The capacity is given with each push, because it is a setting and not part of the memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct RingBuffer<T>(VecDeque<T>);

impl<T> Default for RingBuffer<T> {
    fn default() -> Self {
        RingBuffer(VecDeque::new())
    }
}

impl<T> RingBuffer<T> {
    /// Adds a value, and removes the oldest ones if there is no room.
    pub(crate) fn push(&mut self, value: T, capacity: usize) {
        while self.0.len() >= capacity.max(1) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_value_is_removed_first() {
        let mut ring = RingBuffer::default();
        for value in 1..=5 {
            ring.push(value, 3);
        }
        assert_eq!(ring.iter().copied().collect::<Vec<_>>(), [3, 4, 5]);
        assert_eq!(ring.newest().copied().collect::<Vec<_>>(), [5, 4, 3]);
    }

    #[test]
    fn a_smaller_capacity_takes_effect_at_the_next_push() {
        let mut ring = RingBuffer::default();
        for value in 1..=5 {
            ring.push(value, 5);
        }
        ring.push(6, 2);
        assert_eq!(ring.iter().copied().collect::<Vec<_>>(), [5, 6]);
    }
}
