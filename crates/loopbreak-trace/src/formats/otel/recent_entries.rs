//! A map of bounded size that forgets what was not used for long.

use std::collections::BTreeMap;

/// Entries by name. Once half of the limit was used since the last time, what was not used since then is dropped.
#[derive(Clone, Debug)]
pub(super) struct RecentEntries<V> {
    limit: usize,
    recent: BTreeMap<String, V>,
    older: BTreeMap<String, V>,
}

impl<V> RecentEntries<V> {
    /// Creates a map that holds at most this number of entries.
    pub(super) fn new(limit: usize) -> Self {
        RecentEntries { limit, recent: BTreeMap::new(), older: BTreeMap::new() }
    }

    pub(super) fn get(&self, name: &str) -> Option<&V> {
        self.recent.get(name).or_else(|| self.older.get(name))
    }

    pub(super) fn insert(&mut self, name: &str, value: V) {
        if self.recent.len() >= self.limit / 2 && !self.recent.contains_key(name) {
            self.older = std::mem::take(&mut self.recent);
        }
        self.older.remove(name);
        self.recent.insert(name.to_owned(), value);
    }

    pub(super) fn remove(&mut self, name: &str) -> Option<V> {
        let recent = self.recent.remove(name);
        self.older.remove(name).or(recent)
    }

    /// Returns all entries, in the order of their names.
    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = (&String, &mut V)> {
        let mut all: Vec<_> = self.recent.iter_mut().chain(self.older.iter_mut()).collect();
        all.sort_by_key(|(name, _)| *name);
        all.into_iter()
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.recent.len() + self.older.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn used_entries_stay_and_the_number_of_entries_is_bounded() {
        let mut entries = RecentEntries::new(100);
        for number in 0..10_000 {
            entries.insert("used", number);
            entries.insert(&number.to_string(), number);
            assert!(entries.len() <= 100);
        }
        assert_eq!(entries.get("used"), Some(&9999));
        assert_eq!(entries.get("9999"), Some(&9999));
        assert_eq!(entries.get("1"), None);
        assert_eq!(entries.remove("used"), Some(9999));
        assert_eq!(entries.get("used"), None);
    }
}
