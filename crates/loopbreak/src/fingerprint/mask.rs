//! Finds the volatile words of a text without examining each word.
//!
//! Outcomes are full of numbers, and nearly all of them are kept: `case_17`, `src/main.rs:41:9`, `200 files`. The bytes
//! before and after the digits show it. They are tested without branches, because a branch would be mispredicted often.
//! Only the few candidates that remain are examined as words.

#![expect(clippy::needless_bitwise_bool, reason = "a mispredicted branch costs more than the test")]

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::volatile::{TEMPORARY, is_volatile, naming};
use crate::text::scan::{BLOCK, bits};

/// Properties of a byte next to digits. A byte without any of them cannot precede the first digit of a volatile
/// word.
mod says {
    /// The byte ends a word: white space, brackets, quotes and commas.
    pub(super) const END: u8 = 1;
    /// The byte may precede the first digit: a letter of a hash, punctuation.
    pub(super) const OPEN: u8 = 2;
    /// The byte may separate a name from its number.
    pub(super) const LINK: u8 = 4;
    /// A number after the byte may be a tag or part of a time.
    pub(super) const TAG: u8 = 8;
    /// A unit of time may begin with the byte.
    pub(super) const UNIT: u8 = 16;
}

/// Properties of all bytes, as a table, because every digit needs a lookup.
const SAYS: [u8; 256] = {
    let mut table = [0; 256];
    let kinds: [(u8, &[u8]); 5] = [
        (says::END, b" \t\n\x0c\r()[]{}<>\"'`,;=|_"),
        (says::OPEN, b"abcdefABCDEF-.:!?#*"),
        (says::LINK, b" \t\n\x0b\x0c\r#:=(\"'_"),
        (says::TAG, b"[,"),
        (says::UNIT, b"numsh"),
    ];
    let mut kind = 0;
    while kind < kinds.len() {
        let (flag, bytes) = kinds[kind];
        let mut at = 0;
        while at < bytes.len() {
            table[bytes[at] as usize] |= flag;
            at += 1;
        }
        kind += 1;
    }
    // One unit begins with a letter that is not ASCII.
    let mut byte = 0x80;
    while byte < 256 {
        table[byte] |= says::UNIT;
        byte += 1;
    }
    table
};

/// Endings of the words after which a number is only a name: indexed by the first two of their last three letters, with
/// a bit for the last one. A word of two letters may have any letter before it.
const NAMES: [[u32; 32]; 32] = {
    let mut table = [[0; 32]; 32];
    let mut letter = b'a';
    while letter <= b'z' {
        let words = naming(letter);
        let mut at = 0;
        while at < words.len() {
            let (rest, last) = last_letter(words[at].as_bytes());
            let (rest, second) = last_letter(rest);
            let (_, first) = last_letter(rest);
            let mut before = 0;
            while before < 32 {
                if first == 0 || first == before {
                    table[before][second] |= 1 << last;
                }
                before += 1;
            }
            at += 1;
        }
        letter += 1;
    }
    table
};

/// Splits off the last letter as five bits, which ignore case. 0 if there is none.
const fn last_letter(word: &[u8]) -> (&[u8], usize) {
    match word {
        [rest @ .., last] => (rest, (*last & 31) as usize),
        [] => (word, 0),
    }
}

#[inline]
fn says(byte: u8) -> u8 {
    SAYS[byte as usize]
}

fn ends(byte: u8) -> bool {
    says(byte) & says::END != 0
}

/// Length below which searching the whole text for folders costs more than searching its words.
const SHORT: usize = 64;

static FOLDERS: LazyLock<[Finder<'static>; TEMPORARY.len()]> = LazyLock::new(|| TEMPORARY.map(Finder::new));

/// Calls `found` with the range of each volatile word, in order and without overlap.
pub(super) fn volatile_words(text: &str, mut found: impl FnMut(Range<usize>)) {
    let bytes = text.as_bytes();
    let names_folders = bytes.len() < SHORT || FOLDERS.iter().any(|folder| folder.find(bytes).is_some());
    // Everything before this position is decided, even if it is in the middle of a word.
    let mut decided = 0;
    let mut judge = |digit: usize| {
        if digit < decided {
            return;
        }
        let Some(start) = start_of_candidate(bytes, decided, digit, names_folders) else {
            decided = digit + 1;
            return;
        };
        // What follows the number shows of most words that they are kept. The rest of such a word is not read.
        if start == digit && !names_folders && is_kept_by_its_number(&bytes[digit..]) {
            decided = digit + 1;
            return;
        }
        let end = bytes[digit..].iter().position(|byte| ends(*byte));
        let word = start..end.map_or(bytes.len(), |end| digit + end);
        decided = word.end;
        if is_volatile(text, word.clone(), names_folders) {
            found(word);
        }
    };
    for at in (0..bytes.len()).step_by(BLOCK) {
        let mut room = [b' '; 2 + BLOCK];
        let window = MaskWindow::at(bytes, at, &mut room);
        let digits = window.digits();
        if digits == 0 {
            continue;
        }
        let mut starts = if names_folders { digits } else { digits & window.open() };
        while starts != 0 {
            let start = starts.trailing_zeros();
            let end = start + (digits >> start).trailing_ones();
            starts &= starts - 1;
            if names_folders || !stays(bytes, at + start as usize, at + end as usize) {
                judge(at + start as usize);
            }
        }
    }
}

/// A block of a text with the two bytes before it.
struct MaskWindow<'b>(&'b [u8; 2 + BLOCK]);

impl<'b> MaskWindow<'b> {
    #[inline]
    fn at(bytes: &'b [u8], at: usize, room: &'b mut [u8; 2 + BLOCK]) -> Self {
        let whole = at.checked_sub(2).and_then(|from| bytes.get(from..)?.first_chunk());
        MaskWindow(whole.unwrap_or_else(|| at_an_end(bytes, at, room)))
    }

    /// Returns a bit for each byte of the block that matches, given the two bytes before it. The first is the lowest bit.
    #[inline]
    fn bits(&self, is: impl Fn(u8, u8, u8) -> bool) -> u64 {
        bits(|at| is(self.0[at], self.0[at + 1], self.0[at + 2]))
    }

    #[inline]
    fn digits(&self) -> u64 {
        self.bits(|_, _, byte| byte.wrapping_sub(b'0') < 10)
    }

    /// Returns the positions at which a volatile word could have its first digit, given the two bytes before.
    #[inline]
    fn open(&self) -> u64 {
        let within = |byte: u8, first: u8, last: u8| byte.wrapping_sub(first) <= last - first;
        // Only the most common bytes that rule it out; the rest is tested later.
        let plain = |byte: u8| within(byte, b'/', b'9') | within(byte | 0x20, b'g', b'z');
        let mark = |byte: u8| within(byte, b'-', b'.') | (byte == b':');
        self.bits(|second, first, _| !(plain(first) | mark(first) & plain(second) & (second != b't')))
    }
}

/// Returns a window that reaches beyond the text, filled up with spaces.
fn at_an_end<'b>(bytes: &[u8], at: usize, room: &'b mut [u8; 2 + BLOCK]) -> &'b [u8; 2 + BLOCK] {
    let from = at.saturating_sub(2);
    let here = &bytes[from..bytes.len().min(at + BLOCK)];
    room[from + 2 - at..][..here.len()].copy_from_slice(here);
    room
}

/// Returns whether the bytes around a run of digits show that it is a plain number, which is kept.
#[inline]
fn stays(bytes: &[u8], start: usize, end: usize) -> bool {
    let before = start.checked_sub(5).and_then(|at| bytes.get(at..start)?.first_chunk());
    let after = bytes.get(end..).and_then(<[u8]>::first_chunk);
    let (Some(&[fifth, fourth, third, second, first]), Some(&[next, after])) = (before, after) else {
        // At the ends of the text.
        return false;
    };
    let before = says(first);
    let alone = before & says(next) & says::END != 0;
    let linked = before & says::LINK != 0;
    // The word before it ends here or one byte earlier; nothing further away is considered.
    let further = says(second) & says::LINK != 0;
    let word = if further { [fifth, fourth, third] } else { [fourth, third, second] };
    let [a, b, c] = word.map(|letter| usize::from(letter & 31));
    let named = (NAMES[a][b] >> c & 1 != 0) | (says(word[2]) & says::LINK != 0);
    let timed = (next == b' ') & (says(after) & says::UNIT != 0);
    let tagged = before & says::TAG != 0;
    alone & !(linked & named) & !timed & !tagged
}

/// Returns the start of the digit's word if it may be volatile. Everything before `decided` is already decided.
#[inline]
fn start_of_candidate(bytes: &[u8], decided: usize, digit: usize, names_folders: bool) -> Option<usize> {
    let mut start = digit;
    while start > decided {
        let says = says(bytes[start - 1]);
        if says & says::END != 0 {
            return Some(start);
        }
        if says & says::OPEN == 0 && !names_folders && !names_host(&bytes[..digit]) {
            return None;
        }
        start -= 1;
    }
    // Either the text begins here, or this continues a word that was found to be harmless.
    (start == 0 || ends(bytes[start - 1])).then_some(start)
}

/// Returns whether a word that begins with a digit, and is not in a temporary folder, is not volatile whatever comes after its
/// number and the byte behind it.
#[inline]
fn is_kept_by_its_number(word: &[u8]) -> bool {
    let is_digit = |byte: &&u8| byte.is_ascii_digit();
    let figures = word.iter().take_while(is_digit).count();
    let has_point = word.get(figures) == Some(&b'.');
    let is_of_number = |byte: &&u8| byte.is_ascii_digit() || **byte == b'.';
    let number = figures + word[figures..].iter().take_while(is_of_number).count();
    let next = word.get(number).copied().unwrap_or(b' ');
    // With a point in the number it is neither a date nor an id, and with another letter behind it no duration.
    has_point
        && says(next) & (says::END | says::UNIT) == 0
        && !matches!(next, b':' | b'!' | b'?' | b'#' | b'*')
}

/// Returns whether the text ends with the one host name that may precede a port.
#[inline]
fn names_host(before: &[u8]) -> bool {
    before.last() == Some(&b':') && before.ends_with(b"localhost:")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::volatile::TIME_UNITS;
    use super::*;

    /// The reference implementation: examines every word that has a digit.
    fn examined_one_by_one(text: &str) -> Vec<Range<usize>> {
        let mut start = 0;
        let words = text.as_bytes().split(|byte| ends(*byte)).map(|word| {
            let range = start..start + word.len();
            start = range.end + 1;
            range
        });
        let with_digits = words.filter(|word| text[word.clone()].bytes().any(|byte| byte.is_ascii_digit()));
        with_digits.filter(|word| is_volatile(text, word.clone(), true)).collect()
    }

    fn found(text: &str) -> Vec<Range<usize>> {
        let mut words = Vec::new();
        volatile_words(text, |word| words.push(word));
        words
    }

    fn piece() -> impl Strategy<Value = String> {
        prop_oneof![
            "[a-z0-9:./ _-]{1,8}",
            "[0-9a-f]{5,9}",
            "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
            "[#:.*!?-]{0,2}(2025-11-04|09:35:24|0x7ffee4b8|17|1\\.52s|2m30s|2025-11-04T09:35:24Z)[.:,]?",
            "(localhost|127\\.0\\.0\\.1|host):[0-9]{3,5}",
            "(pid|attempt|page|thread|line|try)[ #=:]{1,2}[0-9]{1,4}",
            "[0-9]{1,3} (ms|s|seconds|files)",
            "/(var/log|tmp|srv)[a-z0-9]{1,6}",
            "(worker|µé|値)\\[[0-9]{4}\\]:?",
            "[ \\n\\t,;()\\[\\]{}<>\"'`=|]{1,2}",
        ]
    }

    fn pieces() -> impl Strategy<Value = String> {
        prop::collection::vec(piece(), 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn no_volatile_word_is_missed(text in pieces()) {
            prop_assert_eq!(found(&text), examined_one_by_one(&text), "{:?}", text);
        }

        #[test]
        fn no_volatile_word_in_a_temporary_folder_is_missed(
            before in pieces(),
            folder in "(/tmp/|/var/folders/|C:\\\\Temp\\\\)[a-z0-9]{1,6}",
            after in pieces(),
        ) {
            let text = [before, folder, after].concat();
            prop_assert_eq!(found(&text), examined_one_by_one(&text), "{:?}", text);
        }
    }

    #[test]
    fn no_number_with_a_name_or_a_unit_is_missed() {
        let links = [" ", "  ", " #", ": ", "=", " : #", "\n\n\n"];
        let names = (b'a'..=b'z').flat_map(naming);
        let names = names.flat_map(|name| links.map(|link| format!("{}{link}4711", name.to_uppercase())));
        let units = TIME_UNITS.iter().map(|unit| format!("4711 {unit}"));
        for words in names.chain(units) {
            let text = format!("{} {words} {}", "before it ".repeat(9), "and after it ".repeat(9));
            assert_eq!(found(&text).len(), 1, "{words}");
        }
    }

    /// The windows of a text are 64 bytes, and each is read with the two bytes before it.
    #[test]
    fn words_at_the_edges_of_a_window_are_found() {
        let volatile = ["09:35:24", "1eb58c6c9b7", "localhost:54321", "pid 4711", "532 ms", "worker[4312]:"];
        for (word, gap) in volatile.iter().flat_map(|word| (0..140).map(move |gap| (word, gap))) {
            for filler in ["x", "é", "7.", " "] {
                let before = filler.repeat(gap / filler.len());
                for text in [format!("{before} {word}"), format!("{before} {word} and {before}")] {
                    assert_eq!(found(&text), examined_one_by_one(&text), "{text:?}");
                }
            }
        }
    }

    #[test]
    fn a_long_word_full_of_digits_is_read_once() {
        // If the whole word were read for every digit, this would not finish.
        let text = "1:x".repeat(1 << 18);
        assert_eq!(found(&text), []);
        let text = "a1-".repeat(1 << 18);
        assert_eq!(found(&text), []);
        for piece in ["7", "a", "[", "[7", "7.", ":7", "7:7"] {
            let text = piece.repeat(1 << 19);
            assert!(found(&text).is_empty(), "{piece}");
            // In a folder for temporary files, no word is skipped by its neighbours.
            let folder = format!("/tmp/{text}");
            assert!(found(&folder).len() <= 1, "{piece}");
        }
    }
}
