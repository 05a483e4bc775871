//! What was read before: a session that is resumed may write its lines once more into the same file.

use std::collections::{HashSet, VecDeque};

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// How many things are remembered. The oldest go first.
const SEEN: usize = 64 * 1024;

/// Things of several kinds, by their names.
#[derive(Debug, Default)]
pub(super) struct SeenIds {
    set: HashSet<u64>,
    order: VecDeque<u64>,
}

/// What is remembered.
#[derive(Clone, Copy, Debug)]
pub(super) enum IdKind {
    Message = 1,
    Call,
    Result,
    Turn,
}

impl SeenIds {
    /// Whether this was never met before. From now on it was.
    pub(super) fn is_new(&mut self, thing: IdKind, name: &str) -> bool {
        let key = xxh3_64_with_seed(name.as_bytes(), thing as u64);
        if !self.set.insert(key) {
            return false;
        }
        self.order.push_back(key);
        if self.order.len() > SEEN
            && let Some(oldest) = self.order.pop_front()
        {
            self.set.remove(&oldest);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_are_told_apart_by_kind_and_name_and_forgotten_in_the_end() {
        let mut seen = SeenIds::default();
        assert!(
            seen.is_new(IdKind::Call, "a")
                && seen.is_new(IdKind::Result, "a")
                && seen.is_new(IdKind::Call, "b")
        );
        assert!(!seen.is_new(IdKind::Call, "a"));
        for number in 0..2 * SEEN {
            seen.is_new(IdKind::Turn, &number.to_string());
        }
        assert_eq!((seen.set.len(), seen.order.len()), (SEEN, SEEN));
        assert!(seen.is_new(IdKind::Call, "a"));
    }
}
