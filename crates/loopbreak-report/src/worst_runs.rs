//! Selects the worst of many items without keeping all.

use std::cmp::Reverse;

/// Keeps the items with the highest keys: the highest first, and the first among equals.
#[derive(Debug)]
pub(crate) struct WorstRuns<K, T> {
    most: usize,
    /// Up to twice as many as requested, so that they are sorted only occasionally.
    kept: Vec<(K, T)>,
    /// Items with this key or less are rejected.
    floor: Option<K>,
}

impl<K: Copy + Ord, T> WorstRuns<K, T> {
    pub(crate) fn new(most: usize) -> Self {
        WorstRuns { most, kept: Vec::new(), floor: None }
    }

    /// Adds an item, if its key is high enough.
    pub(crate) fn offer(&mut self, key: K, value: impl FnOnce() -> T) {
        if self.floor.is_some_and(|floor| key <= floor) {
            return;
        }
        self.kept.push((key, value()));
        if self.kept.len() >= 2 * self.most {
            self.settle();
        }
    }

    fn settle(&mut self) {
        // Stable: equal items stay in their order.
        self.kept.sort_by_key(|(key, _)| Reverse(*key));
        self.kept.truncate(self.most);
        if self.kept.len() == self.most {
            self.floor = self.kept.last().map(|(key, _)| *key);
        }
    }

    pub(crate) fn finish(mut self) -> Vec<T> {
        self.settle();
        self.kept.into_iter().map(|(_, value)| value).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_as_if_all_had_been_put_in_order() {
        let mut number = 7_u64;
        for count in [0, 1, 4, 5, 9, 10, 11, 300] {
            let all: Vec<(u64, usize)> = (0..count)
                .map(|at| {
                    number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (number >> 61, at)
                })
                .collect();
            let mut worst = WorstRuns::new(5);
            for (key, at) in &all {
                worst.offer(*key, || *at);
            }
            let mut sorted = all;
            sorted.sort_by_key(|(key, _)| Reverse(*key));
            let sorted: Vec<usize> = sorted.into_iter().map(|(_, at)| at).take(5).collect();
            assert_eq!(worst.finish(), sorted);
        }
    }
}
