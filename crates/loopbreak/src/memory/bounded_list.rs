//! A short list.

use std::ops::{Deref, DerefMut};

use serde::{Deserialize, Deserializer, Serialize};

use super::SnapshotSize;
use super::snapshot_size::{array_bytes, max_array_bytes};

/// A list of at most `N` values. Values beyond that are dropped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(crate) struct BoundedList<T, const N: usize>(Vec<T>);

impl<T, const N: usize> BoundedList<T, N> {
    pub(crate) fn is_full(&self) -> bool {
        self.0.len() == N
    }

    /// Replaces all values.
    pub(crate) fn assign(&mut self, values: impl IntoIterator<Item = T>) {
        self.0.clear();
        self.0.extend(values.into_iter().take(N));
    }

    /// Adds a value if there is room.
    pub(crate) fn push(&mut self, value: T) {
        if !self.is_full() {
            self.0.push(value);
        }
    }
}

impl<T, const N: usize> Default for BoundedList<T, N> {
    fn default() -> Self {
        BoundedList(Vec::new())
    }
}

impl<T, const N: usize> FromIterator<T> for BoundedList<T, N> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        BoundedList(values.into_iter().take(N).collect())
    }
}

impl<T, const N: usize> Deref for BoundedList<T, N> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T, const N: usize> DerefMut for BoundedList<T, N> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<'de, T: Deserialize<'de>, const N: usize> Deserialize<'de> for BoundedList<T, N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut values = Vec::deserialize(deserializer)?;
        values.truncate(N);
        Ok(BoundedList(values))
    }
}

impl<T: SnapshotSize, const N: usize> SnapshotSize for BoundedList<T, N> {
    const VARIES: bool = true;

    fn max_bytes(digits: usize) -> usize {
        max_array_bytes::<T>(N, digits)
    }

    fn snapshot_bytes(&self, digits: usize) -> usize {
        array_bytes(self.0.len(), self.0.iter(), digits)
    }
}
