//! A map that drops the least recently used value first.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::snapshot_size::max_array_bytes;
use super::{HashKey, SnapshotSize};

/// A map of at most `N` values that keeps the order of use. All operations are O(1): the values form a linked
/// list inside one vector.
#[derive(Clone, Debug)]
pub(crate) struct LruMap<V, const N: usize> {
    index: HashMap<HashKey, u32, FixedState>,
    nodes: Vec<LruNode<V>>,
    oldest: u32,
    newest: u32,
}

#[derive(Clone, Debug)]
struct LruNode<V> {
    key: HashKey,
    value: V,
    older: u32,
    newer: u32,
}

const NONE: u32 = u32::MAX;

impl<V, const N: usize> Default for LruMap<V, N> {
    fn default() -> Self {
        // Keys are hashes already and come from one run. A fixed hasher keeps guards reproducible.
        LruMap {
            index: HashMap::with_hasher(FixedState::default()),
            nodes: Vec::new(),
            oldest: NONE,
            newest: NONE,
        }
    }
}

impl<V, const N: usize> LruMap<V, N> {
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.nodes.len() >= N
    }

    /// Returns a value without counting that as a use.
    pub(crate) fn peek(&self, key: HashKey) -> Option<&V> {
        self.index.get(&key).map(|&at| &self.nodes[at as usize].value)
    }

    /// Returns a value and makes it the most recently used one.
    pub(crate) fn touch(&mut self, key: HashKey) -> Option<&mut V> {
        let at = *self.index.get(&key)?;
        self.unlink(at);
        self.link_newest(at);
        Some(&mut self.nodes[at as usize].value)
    }

    /// Returns a value, created if absent, and makes it the most recently used one. A new value replaces the least
    /// recently used one if the map is full.
    pub(crate) fn touch_or_insert(&mut self, key: HashKey, make: impl FnOnce() -> V) -> &mut V {
        let at = if let Some(&at) = self.index.get(&key) {
            self.unlink(at);
            at
        } else if self.is_full() && self.oldest != NONE {
            self.replace_oldest(key, make())
        } else {
            let at = self.nodes.len() as u32;
            self.nodes.push(LruNode { key, value: make(), older: NONE, newer: NONE });
            self.index.insert(key, at);
            at
        };
        self.link_newest(at);
        &mut self.nodes[at as usize].value
    }

    /// Puts a value into the place of the least recently used one, so that no other value moves. Returns the place, which is
    /// not linked yet.
    fn replace_oldest(&mut self, key: HashKey, value: V) -> u32 {
        let at = self.oldest;
        self.unlink(at);
        let node = &mut self.nodes[at as usize];
        self.index.remove(&node.key);
        self.index.insert(key, at);
        (node.key, node.value) = (key, value);
        at
    }

    /// Returns the value that was used last, if there is one.
    pub(crate) fn newest(&self) -> Option<&V> {
        self.nodes.get(self.newest as usize).map(|node| &node.value)
    }

    /// Returns the value that was used last, if there is one.
    pub(crate) fn newest_mut(&mut self) -> Option<&mut V> {
        self.nodes.get_mut(self.newest as usize).map(|node| &mut node.value)
    }

    /// Removes the least recently used value.
    pub(crate) fn pop_oldest(&mut self) -> Option<(HashKey, V)> {
        let at = self.oldest;
        if at == NONE {
            return None;
        }
        self.unlink(at);
        let node = self.nodes.swap_remove(at as usize);
        self.index.remove(&node.key);
        // The last node moved into the gap, so all links to it have to be updated.
        let moved = self.nodes.len() as u32;
        if at != moved {
            let (key, older, newer) = {
                let node = &self.nodes[at as usize];
                (node.key, node.older, node.newer)
            };
            self.index.insert(key, at);
            self.relink(older, newer, at);
        }
        Some((node.key, node.value))
    }

    /// Iterates over the values, least recently used first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (HashKey, &V)> {
        let mut at = self.oldest;
        std::iter::from_fn(move || {
            let node = self.nodes.get(at as usize)?;
            at = node.newer;
            Some((node.key, &node.value))
        })
    }

    /// Iterates over the values in no particular order.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.nodes.iter_mut().map(|node| &mut node.value)
    }

    fn unlink(&mut self, at: u32) {
        let (older, newer) = {
            let node = &self.nodes[at as usize];
            (node.older, node.newer)
        };
        match older {
            NONE => self.oldest = newer,
            older => self.nodes[older as usize].newer = newer,
        }
        match newer {
            NONE => self.newest = older,
            newer => self.nodes[newer as usize].older = older,
        }
    }

    fn link_newest(&mut self, at: u32) {
        let before = self.newest;
        let node = &mut self.nodes[at as usize];
        (node.older, node.newer) = (before, NONE);
        match before {
            NONE => self.oldest = at,
            before => self.nodes[before as usize].newer = at,
        }
        self.newest = at;
    }

    fn relink(&mut self, older: u32, newer: u32, at: u32) {
        match older {
            NONE => self.oldest = at,
            older => self.nodes[older as usize].newer = at,
        }
        match newer {
            NONE => self.newest = at,
            newer => self.nodes[newer as usize].older = at,
        }
    }
}

impl<V: SnapshotSize, const N: usize> LruMap<V, N> {
    /// Returns an upper bound of the snapshot size of one value with its key and the comma after it.
    pub(crate) fn entry_bytes(value: &V, digits: usize) -> usize {
        "[,],".len() + HashKey::max_bytes(digits) + value.snapshot_bytes(digits)
    }
}

impl<V: SnapshotSize, const N: usize> SnapshotSize for LruMap<V, N> {
    const VARIES: bool = true;

    fn max_bytes(digits: usize) -> usize {
        max_array_bytes::<(HashKey, V)>(N, digits)
    }

    fn snapshot_bytes(&self, digits: usize) -> usize {
        if V::VARIES {
            let entries = self.nodes.iter().map(|node| Self::entry_bytes(&node.value, digits));
            "[]".len() + entries.sum::<usize>()
        } else {
            max_array_bytes::<(HashKey, V)>(self.len(), digits)
        }
    }
}

impl<V: Serialize, const N: usize> Serialize for LruMap<V, N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de, V: Deserialize<'de>, const N: usize> Deserialize<'de> for LruMap<V, N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LruVisitor<V, const N: usize>(std::marker::PhantomData<V>);
        impl<'de, V: Deserialize<'de>, const N: usize> Visitor<'de> for LruVisitor<V, N> {
            type Value = LruMap<V, N>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("pairs of key and value")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<LruMap<V, N>, A::Error> {
                let mut lru = LruMap::default();
                while let Some((key, value)) = seq.next_element::<(HashKey, V)>()? {
                    lru.touch_or_insert(key, || value);
                }
                Ok(lru)
            }
        }
        deserializer.deserialize_seq(LruVisitor(std::marker::PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn keys(lru: &LruMap<u32, 12>) -> Vec<HashKey> {
        lru.iter().map(|(key, _)| key).collect()
    }

    #[test]
    fn the_least_recently_used_value_is_removed_first() {
        let mut lru = LruMap::default();
        for key in (1..=4).map(HashKey) {
            lru.touch_or_insert(key, || 0);
        }
        lru.touch(HashKey(1));
        assert_eq!(lru.pop_oldest(), Some((HashKey(2), 0)));
        assert_eq!(keys(&lru), [3, 4, 1].map(HashKey));
    }

    #[test]
    fn a_new_value_replaces_the_least_recently_used_one_of_a_full_map() {
        let mut lru = LruMap::<u32, 2>::default();
        for key in (1..=3).map(HashKey) {
            lru.touch_or_insert(key, || 0);
        }
        assert_eq!(lru.iter().map(|(key, _)| key).collect::<Vec<_>>(), [2, 3].map(HashKey));
    }

    proptest! {
        #[test]
        fn behaves_like_a_list_in_order_of_use(ops in prop::collection::vec((0u8..3, (0u64..12).prop_map(HashKey)), 0..200)) {
            let mut lru: LruMap<u32, 12> = LruMap::default();
            let mut model: Vec<HashKey> = Vec::new();
            for (op, key) in ops {
                match op {
                    0 => {
                        lru.touch_or_insert(key, || 7);
                        model.retain(|&k| k != key);
                        model.push(key);
                    }
                    1 => {
                        let found = lru.touch(key).is_some();
                        prop_assert_eq!(found, model.contains(&key));
                        if found {
                            model.retain(|&k| k != key);
                            model.push(key);
                        }
                    }
                    _ => {
                        let popped = lru.pop_oldest().map(|(key, _)| key);
                        let expected = (!model.is_empty()).then(|| model.remove(0));
                        prop_assert_eq!(popped, expected);
                    }
                }
                prop_assert_eq!(keys(&lru), model.clone());
                let json = serde_json::to_string(&lru).unwrap();
                let back: LruMap<u32, 12> = serde_json::from_str(&json).unwrap();
                prop_assert_eq!(keys(&back), model.clone());
            }
        }
    }
}
