//! Ids that were read before: a resumed session may repeat its lines in the same file.

use std::collections::{HashSet, VecDeque};

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Maximum number of remembered ids. The oldest are forgotten first.
const SEEN: usize = 64 * 1024;

/// Ids of several kinds.
#[derive(Debug, Default)]
pub(super) struct SeenIds {
    set: HashSet<u64>,
    order: VecDeque<u64>,
}

/// The kind of an id.
#[derive(Clone, Copy, Debug)]
pub(super) enum IdKind {
    Message = 1,
    Call,
    Result,
    Turn,
    Event,
}

impl SeenIds {
    /// Remembers an id. Returns whether it is new.
    pub(super) fn is_new(&mut self, kind: IdKind, id: &str) -> bool {
        let key = xxh3_64_with_seed(id.as_bytes(), kind as u64);
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
    fn ids_are_distinguished_by_kind_and_the_oldest_are_forgotten() {
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
