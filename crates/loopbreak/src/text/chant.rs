//! Texts that repeat themselves: the same words over and over, up to where the text ends.
//!
//! A text is read word by word. Where the last four words stood there a moment ago, the distance is a candidate for
//! the length of a unit that repeats; from then on every further word either is the one a unit before, or ends the
//! repetition. That is constant work and constant memory a word, whatever the length of text and unit.
//!
//! What is repeated has to be speech. Rules, dots and figures have no letters and never count; numbered lists and
//! tables are not the same words; code, tables and logs, known by their marks, repeat honestly and have to go on for
//! ten times as long.

use std::ops::Range;

/// The longest unit, in words.
const LONGEST: usize = 400;
/// The last words, as many as the longest unit and what is compared before it is believed.
const WORDS: usize = 512;
/// Where the last groups of four words stood. Two groups in one slot lose a candidate, never make one.
const SLOTS: usize = 1024;
/// So many words are compared before a distance is believed to be a period.
const GROUP: usize = 4;
/// A longer word is read in pieces: a text without blanks is a text all the same.
const PIECE: u32 = 64;
/// So many rounds of a unit of fewer than [`GROUP`] words, and so many of one that is no speech.
const SHORT_ROUNDS: u64 = 100;
const STRUCTURED_ROUNDS: u64 = 16;
/// So many times the length is asked for from what is no speech.
const STRUCTURED: u64 = 10;
/// So much of the end of a whole text is looked at.
const LOOKED_AT: usize = 16 * 1024;

/// A text that repeats itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepeatedPassage {
    /// How many words the unit has that is repeated. Scripts without blanks count by the character.
    pub words: u32,
    /// How often it stands there in a row.
    pub rounds: u64,
    /// How many bytes that takes.
    pub bytes: u64,
    /// Where the last of them stands, in bytes from the beginning of the text.
    pub unit: Range<u64>,
    /// It is code, a table or a log, by its marks.
    pub structured: bool,
    /// The same for every rotation of the unit.
    pub(crate) key: u64,
}

/// Looks for a chant in a text that comes in pieces, as it is generated. Where the pieces are cut does not matter.
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
    /// Every text is held to what is asked of code and logs.
    strict: bool,
    words: Box<[ChantWord; WORDS]>,
    slots: Box<[u32; SLOTS]>,
    /// How many words there were.
    count: u64,
    /// How many bytes were read.
    read: u64,
    /// Where the last whole word ends.
    end: u64,
    open: OpenWord,
    /// The length of the unit, in words; 0 for none.
    period: usize,
    /// How many words in a row equal the one a unit before.
    equal: u64,
    /// Where the first round begins.
    from: u64,
}

/// A word that is over: its hash with its class in the lowest two bits, and where it begins.
#[derive(Clone, Copy, Debug, Default)]
struct ChantWord {
    key: u32,
    start: u32,
}

/// What kind of word it is.
const MARKS: u32 = 0;
const PLAIN: u32 = 1;
const CODE: u32 = 2;

/// The word that is being read.
#[derive(Clone, Copy, Debug, Default)]
struct OpenWord {
    hash: u64,
    start: u64,
    length: u32,
    /// How many bytes of it are letters.
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
    /// Asks for so many rounds, and for so many bytes of them together.
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

    /// Holds every text to what is asked of code and logs.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// Reads on, and says whether the text as it stands ends in a chant. A word that is not over does not count yet.
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

    /// Ends the open word.
    fn close(&mut self) {
        let word = std::mem::take(&mut self.open);
        if word.length == 0 {
            return;
        }
        // A word in quotes is a value; a quoted phrase is speech.
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

    /// The key of the word so many before the last.
    fn key_before(&self, back: usize) -> u32 {
        self.words[(self.count - 1 - back as u64) as usize % WORDS].key
    }

    /// Takes a distance for the length of the unit, if the last words say so.
    fn believe(&mut self, period: usize) {
        let known = (1..=LONGEST).contains(&period) && (period + GROUP) as u64 <= self.count;
        if known && (0..GROUP).all(|back| self.key_before(back) == self.key_before(back + period)) {
            self.period = period;
            self.equal = GROUP as u64;
            self.from = self.start_before(period + GROUP - 1);
        }
    }

    /// Where the word so many before the last begins.
    fn start_before(&self, back: usize) -> u64 {
        let start = self.words[(self.count - 1 - back as u64) as usize % WORDS].start;
        // Starts are kept in 32 bits: they are close enough to the end to be told from it.
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
        if plain + code < GROUP && rounds < SHORT_ROUNDS {
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

/// Whether a character is a word by itself: scripts that are written without blanks, and pictures.
fn stands_alone(char: char) -> bool {
    matches!(char, '\u{0e00}'..='\u{0fff}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}')
        || char >= '\u{1f000}'
}

fn is_picture(char: char) -> bool {
    ('\u{1f000}'..'\u{20000}').contains(&char)
}

/// Looks for a chant at the end of a whole text, of which the last 16 kB are looked at. Gives the unit too.
pub(crate) fn chant_of(text: &str, rounds: u32, bytes: u32, strict: bool) -> Option<(RepeatedPassage, &str)> {
    if text.len() < bytes as usize {
        return None;
    }
    let tail = &text[text.ceil_char_boundary(text.len().saturating_sub(LOOKED_AT))..];
    if !may_chant(tail, rounds) {
        return None;
    }
    let mut stream = ChantStream::new(rounds, bytes);
    stream.strict = strict;
    let chant = stream.push(tail)?;
    let unit = tail.get(chant.unit.start as usize..chant.unit.end as usize)?;
    Some((chant, unit))
}

/// How much of the end is looked at to find a long word, and how much of that word.
const END: usize = 128;
const NEEDLE: usize = 8;

/// Whether a text can end in a chant at all, for the price of one look at every byte: a word of its end has to stand
/// there in every round.
fn may_chant(text: &str, rounds: u32) -> bool {
    let bytes = text.as_bytes();
    let end = &bytes[bytes.len().saturating_sub(END)..];
    let mut words = end.split(u8::is_ascii_whitespace);
    // The first and the last may be parts of words.
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
