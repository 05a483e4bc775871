//! An index of words and the lists that contain them.

/// The lists that contain a word, one bit per list.
pub(crate) type WordLists = u16;

/// The words of several lists. Lookups ignore case.
#[derive(Clone, Debug, Default)]
pub(crate) struct WordIndex {
    /// A power of two of slots, at most half of them used, so that the lookup of an unknown word usually ends at
    /// the first slot.
    slots: Vec<Option<(Box<str>, WordLists)>>,
}

impl WordIndex {
    /// Builds the index. Bit 0 stands for the first list, and so on.
    pub(crate) fn from_lists(lists: &[&[String]]) -> Self {
        let count: usize = lists.iter().map(|list| list.len()).sum();
        let mut index = WordIndex { slots: vec![None; (2 * count).next_power_of_two()] };
        for (bit, list) in lists.iter().enumerate() {
            list.iter().for_each(|word| index.add(word, 1 << bit));
        }
        index
    }

    /// Returns the lists that contain a word.
    pub(crate) fn lists_with(&self, word: &str) -> WordLists {
        self.slots[self.slot_of(word)].as_ref().map_or(0, |(_, lists)| *lists)
    }

    fn add(&mut self, word: &str, list: WordLists) {
        let slot = self.slot_of(word);
        self.slots[slot].get_or_insert_with(|| (word.into(), 0)).1 |= list;
    }

    /// Returns the slot of a word, or the free slot for it.
    fn slot_of(&self, word: &str) -> usize {
        let last = self.slots.len() - 1;
        let mut slot = hash(word) & last;
        while let Some((known, _)) = &self.slots[slot]
            && !known.eq_ignore_ascii_case(word)
        {
            slot = (slot + 1) & last;
        }
        slot
    }
}

/// Hashes a word without regard to case. Words are short, so one byte at a time is fast enough.
fn hash(word: &str) -> usize {
    let hash = word
        .bytes()
        .fold(0_u32, |hash, byte| (hash ^ u32::from(byte | 0x20)).wrapping_mul(0x9e37_79b1).rotate_left(13));
    (hash ^ (hash >> 15)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_in_all_its_lists_regardless_of_case() {
        let list = |words: &str| words.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let (first, second) = (list("read view Öl READ"), list("write view a-b @@ ``"));
        let index = WordIndex::from_lists(&[&first, &second]);
        for (word, lists) in [
            ("read", 0b01),
            ("Read", 0b01),
            ("VIEW", 0b11),
            ("write", 0b10),
            ("A-B", 0b10),
            ("Öl", 0b01),
            ("@@", 0b10),
            // Has the same hash as the word above.
            ("``", 0b10),
            ("a\rb", 0),
            ("rea", 0),
            ("", 0),
        ] {
            assert_eq!(index.lists_with(word), lists, "{word}");
        }
    }

    #[test]
    fn an_empty_index_contains_no_word() {
        assert_eq!(WordIndex::from_lists(&[]).lists_with("read"), 0);
        assert_eq!(WordIndex::from_lists(&[&[], &[]]).lists_with(""), 0);
    }
}
