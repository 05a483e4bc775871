//! Words of the program itself, such as the names of patterns.

use std::fmt;

/// Words that bytes name by their number, for they cannot hold them: they are part of the program. Whoever reads bytes needs
/// the words of who wrote them.
#[derive(Debug, Default)]
pub struct WordTable(Vec<&'static str>);

impl WordTable {
    /// The number of a word. There are some dozens in all.
    pub(super) fn number(&mut self, word: &'static str) -> u64 {
        let known = self.0.iter().position(|known| *known == word);
        let place = known.unwrap_or_else(|| {
            self.0.push(word);
            self.0.len() - 1
        });
        place as u64
    }

    pub(super) fn word(&self, number: u64) -> Option<&'static str> {
        self.0.get(usize::try_from(number).ok()?).copied()
    }
}

/// Bytes that are not those of a run that was put away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CorruptRecord;

impl fmt::Display for CorruptRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("what was put away of a run has been damaged")
    }
}

impl std::error::Error for CorruptRecord {}
