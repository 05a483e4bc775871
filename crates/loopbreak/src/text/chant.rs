//! Repetition inside a text: the same words repeated up to the end of the text.
//!
//! A text is read word by word. If the last four words occurred shortly before, the distance is a candidate for the
//! length of a unit that repeats. From then on, every word either equals the word one unit before, or ends the
//! repetition. Time and memory per word are constant, regardless of the length of text and unit.
//!
//! Only speech counts. Rules, dots and figures have no letters and are ignored. Numbered lists and tables do not repeat
//! the same words. Code, tables and logs, recognized by their punctuation, repeat legitimately and must be ten times
//! as long.

use std::ops::Range;

/// Length limit of a unit, in words.
const LONGEST: usize = 400;
/// Number of words that are remembered: the longest unit, and the words that confirm it.
const WORDS: usize = 512;
/// Number of slots for the positions of groups of four words. A collision loses a candidate but never creates one.
const SLOTS: usize = 1024;
/// Number of words that confirm a distance as a period.
const GROUP: usize = 4;
/// Length limit of a word. A longer one is read in pieces, because some texts have no spaces.
const PIECE: u32 = 64;
/// Number of rounds required of a single word, of a unit of fewer than [`GROUP`] words, and of one that is not speech.
const WORD_ROUNDS: u64 = 100;
const SHORT_ROUNDS: u64 = 40;
const STRUCTURED_ROUNDS: u64 = 16;
/// Factor on the required length for text that is not speech.
const STRUCTURED: u64 = 10;
/// Number of bytes at the end of a whole text that are read.
const LOOKED_AT: usize = 16 * 1024;

/// A passage that is repeated at the end of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepeatedPassage {
    /// Number of words in the repeated unit. In scripts without spaces, each character counts as a word.
    pub words: u32,
    /// Number of consecutive repetitions.
    pub rounds: u64,
    /// Number of bytes of all repetitions.
    pub bytes: u64,
    /// Position of the last repetition, in bytes from the beginning of the text.
    pub unit: Range<u64>,
    /// True if the punctuation shows code, a table or a log.
    pub structured: bool,
    /// Key of the unit, identical for every rotation of it.
    pub(crate) key: u64,
}

/// Detects repetition in a text that arrives in pieces, as it is generated. The result does not depend on the pieces.
///
/// ```
/// use loopbreak::text::ChantStream;
///
/// let mut stream = ChantStream::default();
/// assert!(stream.push("The answer is in the file. ").is_none());
/// let chant = (0..40).find_map(|_| stream.push("I will check the file again. ")).unwrap();
/// assert_eq!(chant.words, 6);
/// ```
#[derive(Clone, Debug)]
pub struct ChantStream {
    least_rounds: u64,
    least_bytes: u64,
    /// True if every text must meet the requirements for code and logs.
    strict: bool,
    words: Box<[ChantWord; WORDS]>,
    slots: Box<[u32; SLOTS]>,
    /// Number of words so far.
    count: u64,
    /// Number of bytes so far.
    read: u64,
    /// End of the last whole word.
    end: u64,
    open: OpenWord,
    /// Length of the unit in words, or 0 for none.
    period: usize,
    /// Number of consecutive words that equal the word one unit before.
    equal: u64,
    /// Start of the first round.
    from: u64,
}

/// A finished word: its hash with its class in the lowest two bits, and its start.
#[derive(Clone, Copy, Debug, Default)]
struct ChantWord {
    key: u32,
    start: u32,
}

/// Classes of words.
const MARKS: u32 = 0;
const PLAIN: u32 = 1;
const CODE: u32 = 2;

/// The current, unfinished word.
#[derive(Clone, Copy, Debug, Default)]
struct OpenWord {
    hash: u64,
    start: u64,
    length: u32,
    /// Number of bytes that are letters.
    letters: u32,
    code: bool,
    quotes: u8,
    opens_with_quote: bool,
}

impl Default for ChantStream {
    fn default() -> Self {
        ChantStream::new(4, 400)
    }
}

impl ChantStream {
    /// Creates a detector that requires a number of rounds, and a number of bytes in all of them together.
    pub fn new(rounds: u32, bytes: u32) -> Self {
        ChantStream {
            least_rounds: u64::from(rounds.max(2)),
            least_bytes: u64::from(bytes),
            strict: false,
            words: Box::new([ChantWord::default(); WORDS]),
            slots: Box::new([0; SLOTS]),
            count: 0,
            read: 0,
            end: 0,
            open: OpenWord::default(),
            period: 0,
            equal: 0,
            from: 0,
        }
    }

    /// Applies the requirements for code and logs to every text.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// Reads the next piece and returns the repetition at the end of the text so far, if any. An unfinished word does not count.
    pub fn push(&mut self, text: &str) -> Option<RepeatedPassage> {
        for char in text.chars() {
            if char.is_whitespace() {
                self.close();
            } else if stands_alone(char) {
                self.close();
                self.add(char);
                self.read += char.len_utf8() as u64;
                self.close();
                continue;
            } else {
                self.add(char);
            }
            self.read += char.len_utf8() as u64;
            if self.open.length >= PIECE {
                self.close();
            }
        }
        self.chant()
    }

    fn add(&mut self, char: char) {
        let word = &mut self.open;
        if word.length == 0 {
            *word = OpenWord { start: self.read, opens_with_quote: char == '"', ..OpenWord::default() };
        }
        word.hash = (word.hash ^ u64::from(char)).wrapping_mul(0x9fb2_1c65_1e98_df25).rotate_left(23);
        word.length += char.len_utf8() as u32;
        if char.is_ascii_alphabetic() || (!char.is_ascii() && (char.is_alphabetic() || is_picture(char))) {
            word.letters += char.len_utf8() as u32;
        } else if char == '"' {
            word.quotes = word.quotes.saturating_add(1);
        } else if matches!(char, '{' | '}' | '[' | ']' | '<' | '>' | '|' | '=' | '`' | '\\' | '_' | '$' | ';')
        {
            word.code = true;
        }
    }

    /// Finishes the current word.
    fn close(&mut self) {
        let word = std::mem::take(&mut self.open);
        if word.length == 0 {
            return;
        }
        // A quoted word is a value. A quoted phrase is speech.
        let code = word.code || (word.opens_with_quote && word.quotes > 1);
        let class = if code {
            CODE
        } else if word.letters * 2 >= word.length {
            PLAIN
        } else {
            MARKS
        };
        let mixed = (word.hash ^ u64::from(word.length)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        let key = ((mixed >> 32) as u32 & !3) | class;
        let at = self.count;
        self.words[at as usize % WORDS] = ChantWord { key, start: word.start as u32 };
        self.count += 1;
        self.end = self.read;
        if self.period > 0 && self.key_before(self.period) == key {
            self.equal += 1;
        } else {
            self.period = 0;
        }
        if self.count < GROUP as u64 {
            return;
        }
        let group = (0..GROUP).fold(0_u32, |hash, back| {
            (hash ^ self.key_before(back)).wrapping_mul(0x85eb_ca6b).rotate_left(13)
        });
        let slot = &mut self.slots[group as usize % SLOTS];
        let before = std::mem::replace(slot, self.count as u32);
        if self.period == 0 && before != 0 {
            self.believe((self.count as u32).wrapping_sub(before) as usize);
        }
    }

    /// Returns the key of the word at a distance from the last one.
    fn key_before(&self, back: usize) -> u32 {
        self.words[(self.count - 1 - back as u64) as usize % WORDS].key
    }

    /// Accepts a distance as the length of the unit if the last words confirm it.
    fn believe(&mut self, period: usize) {
        let known = (1..=LONGEST).contains(&period) && (period + GROUP) as u64 <= self.count;
        if known && (0..GROUP).all(|back| self.key_before(back) == self.key_before(back + period)) {
            self.period = period;
            self.equal = GROUP as u64;
            self.from = self.start_before(period + GROUP - 1);
        }
    }

    /// Returns the start of the word at a distance from the last one.
    fn start_before(&self, back: usize) -> u64 {
        let start = self.words[(self.count - 1 - back as u64) as usize % WORDS].start;
        // Starts have 32 bits. They are close enough to the end to be restored from it.
        self.end - u64::from((self.end as u32).wrapping_sub(start))
    }

    fn chant(&self) -> Option<RepeatedPassage> {
        let period = self.period;
        if period == 0 {
            return None;
        }
        let (rounds, bytes) = (self.equal / period as u64 + 1, self.end - self.from);
        if rounds < self.least_rounds || bytes < self.least_bytes {
            return None;
        }
        let keys = || (0..period).map(|back| self.key_before(back));
        let of = |class: u32| keys().filter(|key| key & 3 == class).count();
        let (plain, code) = (of(PLAIN), of(CODE));
        let structured = code * 4 >= period;
        if plain == 0 && code == 0 {
            return None;
        }
        if (structured || self.strict)
            && (rounds < STRUCTURED_ROUNDS || bytes < self.least_bytes * STRUCTURED)
        {
            return None;
        }
        let least = if period == 1 { WORD_ROUNDS } else { SHORT_ROUNDS };
        if plain + code < GROUP && rounds < least {
            return None;
        }
        Some(RepeatedPassage {
            words: period as u32,
            rounds,
            bytes,
            unit: self.start_before(period - 1)..self.end,
            structured,
            key: keys().fold(period as u64, |sum, key| sum.wrapping_add(u64::from(key))),
        })
    }
}

/// Returns whether a character counts as a word: scripts without spaces, and emoji.
fn stands_alone(char: char) -> bool {
    matches!(char, '\u{0e00}'..='\u{0fff}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}')
        || char >= '\u{1f000}'
}

fn is_picture(char: char) -> bool {
    ('\u{1f000}'..'\u{20000}').contains(&char)
}

/// Detects repetition in the last 16 kB of a whole text. Returns the unit too.
pub(crate) fn chant_of(text: &str, rounds: u32, bytes: u32, strict: bool) -> Option<(RepeatedPassage, &str)> {
    if text.len() < bytes as usize {
        return None;
    }
    let tail = &text[text.ceil_char_boundary(text.len().saturating_sub(LOOKED_AT))..];
    if may_chant(tail, rounds) {
        let mut stream = ChantStream::new(rounds, bytes);
        stream.strict = strict;
        if let Some(chant) = stream.push(tail) {
            let unit = tail.get(chant.unit.start as usize..chant.unit.end as usize)?;
            return Some((chant, unit));
        }
    }
    if strict { None } else { chant_without_blanks(tail, rounds, bytes) }
}

/// Number of bytes at the end of a text that are searched for a repetition without blanks, and the longest unit of one.
const DENSE: usize = 1024;
const DENSE_UNIT: usize = 120;

/// Detects a text whose end repeats a unit without blanks, such as `hahaha`.
fn chant_without_blanks(text: &str, rounds: u32, bytes: u32) -> Option<(RepeatedPassage, &str)> {
    let size = DENSE.max(bytes as usize);
    let from = text.ceil_char_boundary(text.len().saturating_sub(size));
    let dense = &text.as_bytes()[from..];
    if dense.len() < bytes as usize || dense.iter().any(u8::is_ascii_whitespace) {
        return None;
    }
    let period = suffix_period(dense)?;
    let equal = text.bytes().rev().zip(text.bytes().rev().skip(period)).take_while(|(a, b)| a == b).count();
    let unit = text.get(text.len() - period..)?;
    let count = (equal / period) as u64 + 1;
    // Dots, rules, zeros and data are not speech.
    let is_speech =
        |c: char| c.is_alphabetic() || is_picture(c) || matches!(c, ';' | '.' | ',' | '!' | '?' | '-' | '。');
    let speaks = unit.chars().all(is_speech) && unit.chars().any(|c| c.is_alphabetic() || is_picture(c));
    if !speaks || count < u64::from(rounds) || equal + period < bytes as usize {
        return None;
    }
    let end = text.len() as u64;
    let passage = RepeatedPassage {
        words: 1,
        rounds: count,
        bytes: (equal + period) as u64,
        unit: end - period as u64..end,
        structured: false,
        // The sum does not depend on the rotation.
        key: unit.bytes().fold(period as u64, |sum, byte| sum.wrapping_add(u64::from(byte))),
    };
    Some((passage, unit))
}

/// Returns the length of the unit that all bytes repeat, if it is short enough. Linear in the number of bytes.
fn suffix_period(bytes: &[u8]) -> Option<usize> {
    // For each prefix: the length of its longest proper prefix that is also its suffix.
    let mut borders = vec![0_usize; bytes.len()];
    for at in 1..bytes.len() {
        let mut border = borders[at - 1];
        while border > 0 && bytes[at] != bytes[border] {
            border = borders[border - 1];
        }
        borders[at] = border + usize::from(bytes[at] == bytes[border]);
    }
    let period = bytes.len() - borders.last()?;
    (period <= DENSE_UNIT).then_some(period)
}

/// Number of bytes at the end that are searched for a long word, and number of bytes of that word.
const END: usize = 128;
const NEEDLE: usize = 8;

/// Returns whether a text can end in a repetition, with one pass over its bytes: a word near its end has to occur in
/// every round.
fn may_chant(text: &str, rounds: u32) -> bool {
    let bytes = text.as_bytes();
    let end = &bytes[bytes.len().saturating_sub(END)..];
    let mut words = end.split(u8::is_ascii_whitespace);
    // The first and the last word may be incomplete.
    let (_, _) = (words.next(), words.next_back());
    let longest =
        words.filter(|word| word.is_ascii() && word.len() <= PIECE as usize).max_by_key(|word| word.len());
    let Some(needle) = longest.filter(|word| word.len() >= 3) else { return true };
    let needle = &needle[..needle.len().min(NEEDLE)];
    let found = bytes.windows(needle.len()).filter(|window| *window == needle).count();
    found + 1 >= rounds as usize
}

#[cfg(test)]
#[path = "chant_tests.rs"]
mod tests;
