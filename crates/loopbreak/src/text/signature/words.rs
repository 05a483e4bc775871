//! The words of a line: recognizes meaningful and volatile words, and joins words.

use super::super::clip::clip;

/// A word of a line with its position.
#[derive(Clone, Copy)]
pub(super) struct SignatureToken<'a> {
    pub(super) at: usize,
    pub(super) raw: &'a str,
}

impl<'a> SignatureToken<'a> {
    pub(super) fn end(self) -> usize {
        self.at + self.raw.len()
    }

    /// Returns the word without surrounding punctuation.
    pub(super) fn core(self) -> &'a str {
        core(self.raw)
    }

    pub(super) fn is_one_of(self, words: &[&str]) -> bool {
        is_one_of(self.core(), words)
    }

    /// Returns whether the sentence or list ends or pauses after this word.
    pub(super) fn ends_clause(self) -> bool {
        self.raw.ends_with([',', '.', ';', ':', '!', '?', '|', ')'])
    }
}

pub(super) fn tokens(line: &str) -> Vec<SignatureToken<'_>> {
    // A word and its space take about six bytes.
    let mut tokens = Vec::with_capacity(line.len() / 6 + 1);
    let mut start = None;
    let mut each = |at: usize, blank: bool| match (blank, start) {
        (true, Some(begin)) => {
            tokens.push(SignatureToken { at: begin, raw: &line[begin..at] });
            start = None;
        }
        (false, None) => start = Some(at),
        _ => {}
    };
    if line.is_ascii() {
        // Like `char::is_whitespace`, but faster.
        line.bytes().enumerate().for_each(|(at, byte)| each(at, matches!(byte, b' ' | b'\t'..=b'\r')));
    } else {
        line.char_indices().for_each(|(at, char)| each(at, char.is_whitespace()));
    }
    tokens.extend(start.map(|begin| SignatureToken { at: begin, raw: &line[begin..] }));
    tokens
}

pub(super) fn core(word: &str) -> &str {
    let plain = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    // Most words have no surrounding punctuation.
    if plain(word.as_bytes().first()) && plain(word.as_bytes().last()) {
        return word;
    }
    word.trim_matches(|char: char| !char.is_alphanumeric() && char != '_')
}

pub(super) fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.iter().any(|other| word.eq_ignore_ascii_case(other))
}

/// Returns whether a word is a dash between two parts of a sentence.
pub(super) fn is_dash(word: &str) -> bool {
    matches!(word, "-" | "--" | "–" | "—")
}

/// Words without a meaning of their own.
const JOINING: [&str; 38] = [
    "a",
    "an",
    "the",
    "of",
    "to",
    "in",
    "on",
    "at",
    "is",
    "was",
    "were",
    "are",
    "be",
    "been",
    "has",
    "have",
    "for",
    "with",
    "by",
    "from",
    "and",
    "or",
    "but",
    "that",
    "this",
    "it",
    "its",
    "as",
    "after",
    "before",
    "while",
    "when",
    "so",
    "into",
    "line",
    "lines",
    "column",
    "successfully",
];

/// Returns whether `word` may be part of a signature: it is meaningful and stable across runs.
pub(super) fn is_telling(word: &str) -> bool {
    let word = core(word);
    !word.is_empty() && !is_one_of(word, &JOINING) && !is_volatile(word)
}

/// Returns whether a word is a number, a time, a duration, an address or a hash.
pub(super) fn is_volatile(word: &str) -> bool {
    let word = core(word);
    let Some(first) = word.chars().next() else { return false };
    let hex = |text: &str| text.chars().all(|char| char.is_ascii_hexdigit());
    if let Some(address) = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        return hex(address);
    }
    if word.len() >= 7 && word.contains(|char: char| char.is_ascii_digit()) && word.split('-').all(hex) {
        return true;
    }
    first.is_ascii_digit() && is_measure(word)
}

/// Matches `12`, `45-52`, `3.5s`, `10:02:11`, `2024-01-02T03:04:05Z`, `1h2m`.
fn is_measure(word: &str) -> bool {
    const UNITS: [&str; 19] = [
        "s", "sec", "secs", "ms", "us", "µs", "ns", "m", "min", "mins", "h", "d", "b", "kb", "mb", "gb",
        "kib", "mib", "gib",
    ];
    word.split(|char: char| !char.is_alphabetic())
        .filter(|letters| !letters.is_empty())
        .all(|letters| is_one_of(letters, &UNITS) || matches!(letters, "T" | "Z" | "t" | "z"))
}

/// Returns whether `word` is a date or a time of day, as at the start of a log line.
pub(super) fn is_timestamp(word: &str) -> bool {
    let word = core(word);
    let parts = word.matches([':', '-', '/']).count();
    parts >= 2 && word.starts_with(|char: char| char.is_ascii_digit()) && is_measure(word)
}

/// Joins words by `-`, in lower case, at most `most` of them.
pub(super) fn slug<'a>(words: impl Iterator<Item = &'a str>, most: usize) -> String {
    let mut slug = String::new();
    for word in words.map(core).filter(|word| !word.is_empty()).take(most) {
        if !slug.is_empty() {
            slug.push('-');
        }
        push_word(&mut slug, word);
    }
    slug
}

fn push_word(slug: &mut String, word: &str) {
    const LONGEST_WORD: usize = 60;
    let mut after_gap = false;
    for char in clip(word, LONGEST_WORD).chars() {
        let kept = char.is_alphanumeric() || matches!(char, '_' | '.' | '-' | '/' | ':' | '@');
        if kept {
            slug.extend(char.to_lowercase());
        } else if !after_gap {
            slug.push('-');
        }
        after_gap = !kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_times_and_hashes_are_volatile() {
        for word in [
            "45-52,",
            "0x7ffe12",
            "10:02:11",
            "2024-01-02T03:04:05Z",
            "(3.5s)",
            "120ms",
            "1h2m",
            "15eb29e0",
            "6f1c5c0e-3d0b-4f0e-9d6b-0a8f6f0b7c11",
            "[42]",
        ] {
            assert!(is_volatile(word), "{word}");
        }
    }

    #[test]
    fn names_with_digits_are_not_volatile() {
        for word in ["oauth2", "2fa", "utf8", "sha256", "feedback", "null", "3rd-party", "E0308", ""] {
            assert!(!is_volatile(word), "{word}");
        }
    }

    #[test]
    fn a_slug_has_no_quotes_or_blanks() {
        assert_eq!(slug("Cannot 'find' (x=1)".split(' '), 9), "cannot-find-x-1");
        assert_eq!(slug("a b c".split(' '), 2), "a-b");
    }
}
