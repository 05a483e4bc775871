//! The names of the runs of a log, numbered in the order of their first steps.

use std::hash::BuildHasher as _;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

/// Maps names to numbers and back. There may be a million: a name takes its bytes and about 20 more.
#[derive(Debug, Default)]
pub(super) struct RunNames {
    /// All names in a row, and the end of each.
    text: String,
    ends: Vec<u64>,
    numbers: HashTable<u32>,
    hasher: RandomState,
}

impl RunNames {
    /// Returns the number of a name, if it has one.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        let is_this = |number: &u32| at(&self.text, &self.ends, *number as usize) == name;
        self.numbers.find(self.hasher.hash_one(name), is_this).map(|known| *known as usize)
    }

    /// Adds a name. It must be new.
    pub(super) fn add(&mut self, name: &str) -> usize {
        let (hash, number) = (self.hasher.hash_one(name), self.ends.len());
        self.text.push_str(name);
        self.ends.push(self.text.len() as u64);
        let (text, ends, hasher) = (&self.text, &self.ends, &self.hasher);
        let hash_of = |number: &u32| hasher.hash_one(at(text, ends, *number as usize));
        self.numbers.insert_unique(hash, number as u32, hash_of);
        number
    }

    /// Returns the name with this number, or an empty text.
    pub(super) fn name(&self, number: usize) -> &str {
        at(&self.text, &self.ends, number)
    }

    /// Drops the map from names to numbers, which is not needed any more.
    pub(super) fn freeze(&mut self) {
        self.numbers = HashTable::new();
    }
}

fn at<'t>(text: &'t str, ends: &[u64], number: usize) -> &'t str {
    let start = number.checked_sub(1).and_then(|before| ends.get(before)).map_or(0, |end| *end as usize);
    ends.get(number).and_then(|end| text.get(start..*end as usize)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_number() {
        let mut names = RunNames::default();
        let all: Vec<String> =
            (0..5000).map(|number| format!("rün-{number}")).chain([String::new()]).collect();
        for (number, name) in all.iter().enumerate() {
            assert_eq!(names.find(name), None);
            assert_eq!(names.add(name), number);
            assert_eq!(names.find(name), Some(number));
            assert_eq!(names.find(&all[number / 2]), Some(number / 2));
        }
        names.freeze();
        assert!(all.iter().enumerate().all(|(number, name)| names.name(number) == name));
        assert_eq!(names.name(all.len()), "");
    }
}
