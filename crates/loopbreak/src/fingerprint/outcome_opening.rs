//! The beginning of an outcome: whether it reports a failure, a rejected edit or no change.
//!
//! If the log does not mark these, only words show them. The relevant words are located once.

use crate::text::clip::clip;
use crate::text::scan::{BLOCK, bits};

/// Number of bytes of an outcome that are read.
const HEAD: usize = 160;
/// Largest number of words in them.
const WORDS: usize = HEAD / 2 + 1;

/// The beginning of an outcome, with the positions of its relevant words.
pub(crate) struct OutcomeOpening<'a> {
    head: &'a [u8],
    /// Start and end of each relevant word, which consists of letters and digits only.
    starts: [u8; WORDS],
    ends: [u8; WORDS],
    count: usize,
}

impl<'a> OutcomeOpening<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let head = clip(text.trim_start(), HEAD).as_bytes();
        let mut opening = OutcomeOpening { head, starts: [0; WORDS], ends: [0; WORDS], count: 0 };
        // The last bit of the previous block, and the start of a word that continues into this one.
        let (mut before, mut open) = (0, 0);
        for at in (0..=head.len()).step_by(BLOCK) {
            let here = in_words(&head[at..]);
            let shifted = here << 1 | before;
            let (mut starts, mut ends) = (here & !shifted, shifted & !here);
            if before == 0 {
                open = take_position(at, &mut starts);
            }
            while ends != 0 {
                let end = take_position(at, &mut ends);
                opening.add(open, end);
                open = take_position(at, &mut starts);
            }
            before = here >> 63;
        }
        opening
    }

    /// Adds a word if it is relevant. Few words are, but which ones is unpredictable: each is stored, and kept only if it is
    /// relevant.
    #[inline]
    fn add(&mut self, start: usize, end: usize) {
        let (Some(word), Some(at)) = (self.head.get(start..end), self.starts.get_mut(self.count)) else {
            return;
        };
        *at = start as u8;
        self.ends[self.count] = end as u8;
        let next = self.head.get(end).copied().unwrap_or_default();
        self.count += usize::from((next == b'\'') | may_tell(word));
    }

    /// Returns whether the outcome begins like a failure.
    pub(crate) fn fails(&self) -> bool {
        self.words().any(|(start, end)| self.shows_failure(start, end))
    }

    /// Returns whether the reply to an edit says that it was not made. Only the first sentence counts, because the rest can be
    /// the edited text.
    pub(crate) fn denies(&self) -> bool {
        let ends = |at: &usize| {
            let before = at.checked_sub(1).and_then(|before| self.head.get(before));
            before.is_some_and(u8::is_ascii_alphanumeric) && self.head.get(at + 1) == Some(&b' ')
        };
        let sentence = memchr::memchr_iter(b'.', self.head).find(ends).unwrap_or(self.head.len());
        let mut words = self.words().take_while(|(_, end)| *end <= sentence);
        words.find_map(|(start, end)| self.denied(start, end)).unwrap_or_default()
    }

    /// Returns whether the reply to an edit says that nothing changed.
    pub(crate) fn is_unchanged(&self) -> bool {
        let goes_on = |start: usize, phrase: &&str| self.goes_on(start, phrase);
        self.words()
            .any(|(start, _)| unchanged(self.head[start] | 0x20).iter().any(|phrase| goes_on(start, phrase)))
    }

    fn words(&self) -> impl Iterator<Item = (usize, usize)> {
        let bounds = self.starts.iter().zip(&self.ends).take(self.count);
        bounds.map(|(start, end)| (usize::from(*start), usize::from(*end)))
    }

    fn goes_on(&self, start: usize, phrase: &str) -> bool {
        let here = self.head[start..].get(..phrase.len());
        here.is_some_and(|here| here.eq_ignore_ascii_case(phrase.as_bytes()))
    }

    /// Returns whether a word shows a failure, by its ending or by the text after it.
    #[inline]
    fn shows_failure(&self, start: usize, end: usize) -> bool {
        // Two letters rule out most words.
        let word = &self.head[start..end];
        let ([first, second, ..], [.., last_but_one, last]) = (word, word) else { return false };
        let ends_so = |ending: &str| {
            let Some(from) = word.len().checked_sub(ending.len()) else { return false };
            // `TypeError`, but not `terror`.
            let begins = from == 0 || word[from].is_ascii_uppercase();
            begins && word[from..].eq_ignore_ascii_case(ending.as_bytes())
        };
        beginnings([first | 0x20, second | 0x20]).iter().any(|phrase| self.goes_on(start, phrase))
            || ending([last_but_one | 0x20, last | 0x20]).is_some_and(ends_so)
                && matches!(self.head.get(end), Some(b':' | b' '))
    }

    /// Returns whether a word denies that an edit was made, or `None` if it says nothing about it.
    #[inline]
    fn denied(&self, start: usize, end: usize) -> Option<bool> {
        let word = &self.head[start..end];
        let (first, last) = (word.first()? | 0x20, word.last()? | 0x20);
        let next = self.head.get(end).copied().unwrap_or_default();
        if last == b'n' && next == b'\'' && word.len() > 1 && self.goes_on(end, "'t") {
            return Some(true);
        }
        // Not if a quote, a contraction or a letter that is not ASCII makes it part of another word.
        let joins = |byte: u8| byte == b'\'' || byte >= 0x80;
        if joins(next) || start > 0 && joins(self.head[start - 1]) {
            return None;
        }
        let is = |known: &&str| word.eq_ignore_ascii_case(known.as_bytes());
        if denying(first).iter().any(is) {
            Some(true)
        } else if last == b'd' && DONE.iter().any(is)
            || last == b'n' && is(&"written")
            || first == b's' && self.goes_on(start, "success")
        {
            Some(false)
        } else {
            None
        }
    }
}

/// Returns whether a word can be relevant, by its first two or last two letters. Covers all words that are tested below.
#[inline]
fn may_tell(word: &[u8]) -> bool {
    let ([first, second, ..], [.., last_but_one, last]) = (word, word) else { return false };
    let stands_in = |table: &[u32; 32], a: u8, b: u8| table[usize::from(a & 31)] >> (b & 31) & 1 != 0;
    stands_in(&BEGINNINGS, *first, *second) || stands_in(&ENDINGS, *last_but_one, *last)
}

const BEGINNINGS: [u32; 32] =
    table(&[b"ca", b"co", b"er", b"fa", b"no", b"pe", b"tr", b"un", b"in", b"re", b"su", b"fi", b"ar"]);
const ENDINGS: [u32; 32] = table(&[b"or", b"on", b"re", b"ed", b"en"]);

/// Builds a table of pairs of letters that ignores case: bits for the second letter, indexed by the first.
const fn table(pairs: &[&[u8; 2]]) -> [u32; 32] {
    let mut table = [0; 32];
    let mut at = 0;
    while at < pairs.len() {
        let [first, second] = *pairs[at];
        table[(first & 31) as usize] |= 1 << (second & 31);
        at += 1;
    }
    table
}

/// Returns the phrases that show a failure, by their first two letters.
fn beginnings(letters: [u8; 2]) -> &'static [&'static str] {
    match &letters {
        b"ca" => &["cannot "],
        b"co" => &["could not"],
        b"er" => &["errno"],
        b"fa" => &["fatal:", "failed to"],
        b"no" => &["no such file", "not found", "no replacement"],
        b"pe" => &["permission denied"],
        b"tr" => &["traceback"],
        b"un" => &["unable to"],
        _ => &[],
    }
}

/// Returns the end of a word that shows a failure (`TypeError: …`, `Error - …`), by its last two letters.
fn ending(letters: [u8; 2]) -> Option<&'static str> {
    match &letters {
        b"or" => Some("error"),
        b"on" => Some("exception"),
        b"re" => Some("failure"),
        _ => None,
    }
}

/// Returns the words by which a reply denies an edit, by their first letter.
fn denying(letter: u8) -> &'static [&'static str] {
    match letter {
        b'n' => &["not", "no", "nothing"],
        b'c' => &["cannot"],
        b'i' => &["invalid"],
        b'u' => &["unchanged"],
        b'r' => &["rejected"],
        _ => &[],
    }
}

/// Words that confirm an edit, in addition to "written" and "successfully".
const DONE: [&str; 5] = ["updated", "edited", "created", "applied", "saved"];

/// Returns the phrases that say that nothing changed, by their first letter.
fn unchanged(letter: u8) -> &'static [&'static str] {
    match letter {
        b'n' => &[
            "no changes made",
            "no changes were made",
            "no changes to make",
            "no change was made",
            "no edits made",
            "no edits were made",
            "no modifications",
            "nothing changed",
            "nothing to change",
            "nothing to commit",
        ],
        b'f' => &["file unchanged", "file is unchanged"],
        b'a' => &["are exactly the same", "are identical"],
        _ => &[],
    }
}

/// Takes the first position out of the bits of a block.
#[inline]
fn take_position(block: usize, bits: &mut u64) -> usize {
    let position = block + bits.trailing_zeros() as usize;
    *bits &= bits.wrapping_sub(1);
    position
}

/// Returns a bit for each byte of a block that is a letter or a digit.
#[inline]
fn in_words(head: &[u8]) -> u64 {
    let is_part = |byte: u8| ((byte | 0x20).wrapping_sub(b'a') < 26) | (byte.wrapping_sub(b'0') < 10);
    if let Some(block) = head.first_chunk::<BLOCK>() {
        return bits(|at| is_part(block[at]));
    }
    let mut block = [0; BLOCK];
    block[..head.len()].copy_from_slice(head);
    bits(|at| is_part(block[at]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_failure_is_recognized_by_its_words() {
        for text in [
            "  Error: no field `x`",
            "TypeError: x is not a function",
            "bash: foo: No such file or directory",
            "Traceback (most recent call last):",
            "java.lang.Exception in thread",
            "fatal: not a git repository",
        ] {
            assert!(OutcomeOpening::new(text).fails(), "{text}");
        }
        for text in ["", "a", "0 errors", "The terror of it", "error", "on or re", "exceptions are caught"] {
            assert!(!OutcomeOpening::new(text).fails(), "{text}");
        }
    }

    #[test]
    fn the_first_relevant_word_decides_whether_an_edit_was_made() {
        for text in ["It was not found. x", "I can't do that", "Nothing to do", "INVALID edit", "Don't"] {
            assert!(OutcomeOpening::new(text).denies(), "{text}");
        }
        for text in [
            "File updated, not created",
            "Successfully edited; no warnings",
            "Ok. It does not matter",
            "Replaced 'not' by 'no'",
            "niño: não",
            "",
        ] {
            assert!(!OutcomeOpening::new(text).denies(), "{text}");
        }
    }

    #[test]
    fn every_word_that_is_tested_can_be_relevant() {
        let denied = ["not", "no", "nothing", "cannot", "invalid", "unchanged", "rejected"];
        let told = [&denied[..], &DONE, &["written", "Success", "error", "failure", "exception"]].concat();
        let letters = || b'a'..=b'z';
        let pairs = letters().flat_map(|first| letters().map(move |second| [first, second]));
        let phrases = pairs.flat_map(|pair| beginnings(pair).iter().copied());
        for word in
            told.into_iter().chain(phrases).chain(letters().flat_map(|letter| unchanged(letter).to_vec()))
        {
            let first = word.split(' ').next().unwrap();
            assert!(may_tell(first.trim_end_matches(':').as_bytes()), "{word}");
        }
        for letter in letters() {
            assert!(denying(letter).iter().all(|word| denied.contains(word)), "{}", char::from(letter));
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,300}") {
            let opening = OutcomeOpening::new(&text);
            let _ = (opening.fails(), opening.denies(), opening.is_unchanged());
        }

        #[test]
        fn relevant_words_are_located(text in "[a-eE-Fn-oR-U0-2 .é-]{0,200}") {
            let opening = OutcomeOpening::new(&text);
            let head = clip(text.trim_start(), HEAD);
            let found: Vec<&str> = opening.words().map(|(start, end)| &head[start..end]).collect();
            let words = head.split(|c: char| !c.is_ascii_alphanumeric());
            prop_assert_eq!(found, words.filter(|word| may_tell(word.as_bytes())).collect::<Vec<_>>());
        }
    }
}
