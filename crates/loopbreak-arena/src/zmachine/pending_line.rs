//! Player input: stores the line in the text buffer, splits it into words, and looks them up in the dictionary.

use super::fault::{FaultKind, FaultResult};
use super::machine::MachineState;
use super::memory::MachineMemory;
use super::text::pack;

/// Maximum length of a line, whatever the size of the buffer.
const LONGEST: usize = 199;

/// The buffers of the instruction that waits for a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PendingLine {
    pub(super) text: u16,
    pub(super) words: u16,
}

/// Start and end of a word in the line.
type WordSpan = (usize, usize);

impl MachineState {
    /// Stores the line in the buffers of the waiting instruction. Returns it as shown in the transcript.
    pub(super) fn take_line(&mut self, waiting: PendingLine, line: &str) -> FaultResult<String> {
        let text = u32::from(waiting.text);
        let room = usize::from(self.memory.byte(text)?);
        if room < 2 {
            return Err(FaultKind::SmallBuffer(waiting.text));
        }
        // Characters that a keyboard cannot type are dropped; only the first line counts.
        let typed = line.lines().next().unwrap_or_default().bytes().filter(|byte| matches!(byte, 32..=126));
        let typed: Vec<u8> = typed.take((room - 1).min(LONGEST)).collect();
        for (at, byte) in (text + 1..).zip(&typed) {
            self.memory.set_byte(at, byte.to_ascii_lowercase())?;
        }
        self.memory.set_byte(text + 1 + typed.len() as u32, 0)?;
        self.cut_into_words(&typed, waiting.words)?;
        Ok(typed.iter().map(|byte| char::from(*byte)).collect())
    }

    fn cut_into_words(&mut self, line: &[u8], words: u16) -> FaultResult<()> {
        let dictionary = WordDictionary::open(&self.memory)?;
        let words = u32::from(words);
        let room = usize::from(self.memory.byte(words)?);
        let spans = spans(line, |byte| dictionary.separates(&self.memory, byte));
        let mut entries = Vec::with_capacity(spans.len().min(room));
        for (from, to) in spans.into_iter().take(room) {
            let entry = dictionary.look_up(&self.memory, pack(&line[from..to]))?;
            entries.push((entry, (to - from) as u8, from as u8 + 1));
        }
        self.memory.set_byte(words + 1, entries.len() as u8)?;
        for (at, (entry, length, from)) in (words + 2..).step_by(4).zip(entries) {
            self.memory.set_word(at, entry)?;
            self.memory.set_byte(at + 2, length)?;
            self.memory.set_byte(at + 3, from)?;
        }
        Ok(())
    }
}

/// Splits a line into words. Words end at spaces, which are dropped, and at separators, which are words themselves.
fn spans(line: &[u8], separates: impl Fn(u8) -> bool) -> Vec<WordSpan> {
    let mut spans = Vec::new();
    let mut begun = None;
    for (index, byte) in line.iter().enumerate() {
        let separator = separates(*byte);
        if separator || *byte == b' ' {
            spans.extend(begun.take().map(|from| (from, index)));
            if separator {
                spans.push((index, index + 1));
            }
        } else {
            begun.get_or_insert(index);
        }
    }
    spans.extend(begun.map(|from| (from, line.len())));
    spans
}

/// The dictionary: separators, then sorted entries of equal length.
struct WordDictionary {
    separators: (u32, u32),
    entries: u32,
    length: u32,
    /// Negative if the entries are not sorted.
    count: i16,
}

impl WordDictionary {
    fn open(memory: &MachineMemory) -> FaultResult<Self> {
        let at = u32::from(memory.story.dictionary);
        let separators = (at + 1, at + 1 + u32::from(memory.byte(at)?));
        let length = u32::from(memory.byte(separators.1)?);
        let count = memory.word(separators.1 + 1)?.cast_signed();
        Ok(WordDictionary { separators, entries: separators.1 + 3, length, count })
    }

    fn separates(&self, memory: &MachineMemory, byte: u8) -> bool {
        (self.separators.0..self.separators.1).any(|at| memory.byte(at) == Ok(byte))
    }

    fn entry(&self, memory: &MachineMemory, index: u32) -> FaultResult<(u16, [u8; 4])> {
        let at = self.entries + self.length * index;
        let bytes = [memory.byte(at)?, memory.byte(at + 1)?, memory.byte(at + 2)?, memory.byte(at + 3)?];
        Ok((at as u16, bytes))
    }

    /// Returns the address of a word, or 0.
    fn look_up(&self, memory: &MachineMemory, word: [u8; 4]) -> FaultResult<u16> {
        if self.count < 0 {
            for index in 0..u32::from(self.count.unsigned_abs()) {
                let (at, entry) = self.entry(memory, index)?;
                if entry == word {
                    return Ok(at);
                }
            }
            return Ok(0);
        }
        let (mut low, mut high) = (0, u32::from(self.count.unsigned_abs()));
        while low < high {
            let middle = u32::midpoint(low, high);
            let (at, entry) = self.entry(memory, middle)?;
            match entry.cmp(&word) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Ok(at),
            }
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<&str> {
        let spans = spans(line.as_bytes(), |byte| b".,\"".contains(&byte));
        spans.into_iter().map(|(from, to)| &line[from..to]).collect()
    }

    #[test]
    fn splits_a_line_as_in_the_standard() {
        // Standard 13.6.1.
        assert_eq!(words("fred,go fishing"), ["fred", ",", "go", "fishing"]);
        assert_eq!(words("  take   lamp. "), ["take", "lamp", "."]);
        assert_eq!(words(",,"), [",", ","]);
        assert_eq!(words("   "), [""; 0]);
    }
}
