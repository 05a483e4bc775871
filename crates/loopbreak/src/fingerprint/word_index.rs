//! A set of words, each with the lists it stands in, made once and asked at every step.

/// Which of the lists a word stands in: a bit each.
pub(crate) type WordLists = u16;

/// The words of several lists, found without regard to case.
#[derive(Clone, Debug, Default)]
pub(crate) struct WordIndex {
    /// A power of two of them, at most half of them taken, so that most words that are not there meet a free one at
    /// once.
    slots: Vec<Option<(Box<str>, WordLists)>>,
}

impl WordIndex {
    /// The words of these lists: bit 0 for the first list, and so on.
    pub(crate) fn from_lists(lists: &[&[String]]) -> Self {
        let count: usize = lists.iter().map(|list| list.len()).sum();
        let mut index = WordIndex { slots: vec![None; (2 * count).next_power_of_two()] };
        for (bit, list) in lists.iter().enumerate() {
            list.iter().for_each(|word| index.add(word, 1 << bit));
        }
        index
    }

    /// The lists that a word stands in.
    pub(crate) fn lists_with(&self, word: &str) -> WordLists {
        self.slots[self.slot_of(word)].as_ref().map_or(0, |(_, lists)| *lists)
    }

    fn add(&mut self, word: &str, list: WordLists) {
        let slot = self.slot_of(word);
        self.slots[slot].get_or_insert_with(|| (word.into(), 0)).1 |= list;
    }

    /// Where a word is, or would be.
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

/// The same whatever the case of the letters. Words are short: a byte at a time is soon done.
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
    fn a_word_is_found_in_each_of_its_lists_whatever_its_case() {
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
            // Only the hash takes these for the ones above.
            ("``", 0b10),
            ("a\rb", 0),
            ("rea", 0),
            ("", 0),
        ] {
            assert_eq!(index.lists_with(word), lists, "{word}");
        }
    }

    #[test]
    fn an_empty_index_knows_no_word() {
        assert_eq!(WordIndex::from_lists(&[]).lists_with("read"), 0);
        assert_eq!(WordIndex::from_lists(&[&[], &[]]).lists_with(""), 0);
    }
}
