//! What the beginning of an outcome says of itself: that it failed, that an edit was not done, that nothing changed.
//!
//! Where the log does not mark these, only words tell. The words are found once, for all who ask.

use crate::text::clip::clip;
use crate::text::scan::{BLOCK, bits};

/// How much of an outcome is looked at.
const HEAD: usize = 160;
/// That many words at most stand in it.
const WORDS: usize = HEAD / 2 + 1;

/// The beginning of an outcome, and where the words are in it that could tell anything.
pub(crate) struct OutcomeOpening<'a> {
    head: &'a [u8],
    /// Where each of them begins and where it ends: letters and digits, nothing else.
    starts: [u8; WORDS],
    ends: [u8; WORDS],
    count: usize,
}

impl<'a> OutcomeOpening<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let head = clip(text.trim_start(), HEAD).as_bytes();
        let mut opening = OutcomeOpening { head, starts: [0; WORDS], ends: [0; WORDS], count: 0 };
        let (mut starts, mut ends) = (HeadPositions::default(), HeadPositions::default());
        let mut before = 0;
        for at in (0..=head.len()).step_by(BLOCK) {
            let here = in_words(&head[at..]);
            let shifted = here << 1 | before;
            before = here >> 63;
            starts.add(at, here & !shifted);
            ends.add(at, shifted & !here);
        }
        // Nearly no word can tell anything, but which one it is cannot be foreseen: it is written down, and stays if it can.
        for (start, end) in starts.all().zip(ends.all()) {
            (opening.starts[opening.count], opening.ends[opening.count]) = (start, end);
            let (from, to) = (usize::from(start), usize::from(end));
            let next = head.get(to).copied().unwrap_or_default();
            opening.count += usize::from((next == b'\'') | may_tell(&head[from..to]));
        }
        opening
    }

    /// Whether it begins like a failure.
    pub(crate) fn fails(&self) -> bool {
        self.words().any(|(start, end)| self.shows_failure(start, end))
    }

    /// Whether the reply to an edit says that nothing came of it. Only its first sentence counts: what follows can be
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

    /// Whether an edit says that it changed nothing.
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

    /// Whether a word shows a failure by how it goes on, or by how it ends.
    #[inline]
    fn shows_failure(&self, start: usize, end: usize) -> bool {
        // Nearly every word is ruled out by two of its letters.
        let word = &self.head[start..end];
        let ([first, second, ..], [.., last_but_one, last]) = (word, word) else { return false };
        let ends_so = |ending: &str| {
            let Some(from) = word.len().checked_sub(ending.len()) else { return false };
            // `TypeError`, but no terror.
            let begins = from == 0 || word[from].is_ascii_uppercase();
            begins && word[from..].eq_ignore_ascii_case(ending.as_bytes())
        };
        beginnings([first | 0x20, second | 0x20]).iter().any(|phrase| self.goes_on(start, phrase))
            || ending([last_but_one | 0x20, last | 0x20]).is_some_and(ends_so)
                && matches!(self.head.get(end), Some(b':' | b' '))
    }

    /// Whether a word denies that an edit was done, where it says anything about that.
    #[inline]
    fn denied(&self, start: usize, end: usize) -> Option<bool> {
        let word = &self.head[start..end];
        let (first, last) = (word.first()? | 0x20, word.last()? | 0x20);
        let next = self.head.get(end).copied().unwrap_or_default();
        if last == b'n' && next == b'\'' && word.len() > 1 && self.goes_on(end, "'t") {
            return Some(true);
        }
        // Not where a quotation, a contraction or a letter beyond ASCII makes it a part of something else.
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

/// Whether a word could tell anything, by its first two letters or its last two. What is asked below asks for no other.
#[inline]
fn may_tell(word: &[u8]) -> bool {
    let ([first, second, ..], [.., last_but_one, last]) = (word, word) else { return false };
    let stands_in = |table: &[u32; 32], a: u8, b: u8| table[usize::from(a & 31)] >> (b & 31) & 1 != 0;
    stands_in(&BEGINNINGS, *first, *second) || stands_in(&ENDINGS, *last_but_one, *last)
}

const BEGINNINGS: [u32; 32] =
    table(&[b"ca", b"co", b"er", b"fa", b"no", b"pe", b"tr", b"un", b"in", b"re", b"su", b"fi", b"ar"]);
const ENDINGS: [u32; 32] = table(&[b"or", b"on", b"re", b"ed", b"en"]);

/// Pairs of letters, whatever their case: the second ones as bits under the first.
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

/// Beginnings of words by which a failure shows, by their first two letters.
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

/// The end of a word by which a failure shows (`TypeError: …`, `Error - …`), by its last two letters.
fn ending(letters: [u8; 2]) -> Option<&'static str> {
    match &letters {
        b"or" => Some("error"),
        b"on" => Some("exception"),
        b"re" => Some("failure"),
        _ => None,
    }
}

/// Words by which a reply to an edit says that nothing came of it, by their first letter.
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

/// Words by which it says that the edit was done, beside "written" and "successfully".
const DONE: [&str; 5] = ["updated", "edited", "created", "applied", "saved"];

/// How an edit says that it changed nothing, by the letter with which that begins.
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

/// Places in the head.
struct HeadPositions {
    at: [u8; WORDS],
    count: usize,
}

impl Default for HeadPositions {
    fn default() -> Self {
        HeadPositions { at: [0; WORDS], count: 0 }
    }
}

impl HeadPositions {
    /// Adds those of a block.
    #[inline]
    fn add(&mut self, block: usize, mut bits: u64) {
        while bits != 0
            && let Some(place) = self.at.get_mut(self.count)
        {
            *place = (block + bits.trailing_zeros() as usize) as u8;
            self.count += 1;
            bits &= bits - 1;
        }
    }

    fn all(&self) -> impl Iterator<Item = u8> {
        self.at.iter().take(self.count).copied()
    }
}

/// Which bytes of a block are letters and digits. After the end there are none.
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
    fn a_failure_shows_by_its_words() {
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
    fn the_first_word_about_it_says_whether_an_edit_was_done() {
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
    fn every_word_that_is_asked_for_may_tell() {
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
        fn the_words_that_could_tell_are_found_where_they_are(text in "[a-eE-Fn-oR-U0-2 .é-]{0,200}") {
            let opening = OutcomeOpening::new(&text);
            let head = clip(text.trim_start(), HEAD);
            let found: Vec<&str> = opening.words().map(|(start, end)| &head[start..end]).collect();
            let words = head.split(|c: char| !c.is_ascii_alphanumeric());
            prop_assert_eq!(found, words.filter(|word| may_tell(word.as_bytes())).collect::<Vec<_>>());
        }
    }
}
