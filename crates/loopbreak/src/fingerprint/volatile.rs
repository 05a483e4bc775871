//! Recognizes volatile words: those that change from call to call without a meaning.

use std::ops::Range;

/// Returns the words after which a number is only a name or a count of attempts, by their first letter.
pub(super) const fn naming(letter: u8) -> &'static [&'static str] {
    match letter {
        b'a' => &["attempt", "attempts"],
        b'd' => &["duration"],
        b'e' => &["elapsed", "execution"],
        b'f' => &["fd"],
        b'i' => &["id", "iteration"],
        b'p' => &["pid", "ppid", "process", "port"],
        b'r' => &["retry", "retries", "request"],
        b's' => &["span", "session", "seconds", "secs", "seq"],
        b't' => &["tid", "thread", "timestamp", "took", "trace", "try", "ts"],
        b'u' => &["uid", "uptime"],
        _ => &[],
    }
}

const LONGEST_NAMING: usize = 9;

/// Units of time.
pub(super) const TIME_UNITS: &[&str] = &[
    "ns",
    "us",
    "µs",
    "ms",
    "s",
    "sec",
    "secs",
    "second",
    "seconds",
    "m",
    "min",
    "mins",
    "minute",
    "minutes",
    "h",
    "hour",
    "hours",
    "millisecond",
    "milliseconds",
];

/// Folders whose names change with every run.
pub(super) const TEMPORARY: [&str; 3] = ["/tmp/", "/var/folders/", "\\Temp\\"];

/// Returns whether a word with a digit is volatile, by its form and its neighbours. `names_folders` is false if the text names no
/// folder for temporary files.
pub(super) fn is_volatile(text: &str, word: Range<usize>, names_folders: bool) -> bool {
    let shown = without_marks(text.get(word.clone()).unwrap_or_default());
    let bytes = shown.as_bytes();
    let figures = bytes.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    // Plain numbers are the most common by far, and only their neighbours can make them volatile.
    if figures == bytes.len() {
        return figures > 0
            && (names(text, word.start)
                || measures_time(text, word.end)
                || is_tag(text, &word)
                || is_part_of_time(text, word.start));
    }
    // The byte after the number rules out most forms.
    let by_its_form = match bytes[figures] {
        _ if figures == 0 => is_uuid(bytes) || is_hash(bytes) || is_socket(bytes),
        b':' => is_time(bytes) || is_socket(bytes),
        b'-' => is_date(bytes) || is_uuid(bytes),
        b'/' => is_date(bytes),
        b'x' | b'X' => is_address(bytes),
        b'a'..=b'f' | b'A'..=b'F' => is_uuid(bytes) || is_hash(bytes),
        b'n' | b'u' | b'm' | b's' | b'h' | 0x80.. => is_duration(shown),
        _ => false,
    };
    by_its_form || names_folders && is_temporary(bytes) || is_token(bytes) && names(text, word.start)
}

/// Returns whether a word looks like an id: at least four letters and digits, with only hexadecimal letters before the first
/// digit. The scan for volatile words finds no others.
fn is_token(word: &[u8]) -> bool {
    let mut before = word.iter().take_while(|byte| !byte.is_ascii_digit());
    word.len() >= 4 && word.iter().all(u8::is_ascii_alphanumeric) && before.all(u8::is_ascii_hexdigit)
}

/// Returns whether a text is an id that is created for every call: a UUID, or a long hash.
pub(crate) fn is_fresh_id(text: &str) -> bool {
    let bytes = text.trim().as_bytes();
    is_uuid(bytes) || bytes.len() >= 16 && is_hash(bytes)
}

/// Returns a word without surrounding punctuation.
fn without_marks(word: &str) -> &str {
    let is_mark = |byte: &u8| matches!(byte, b'.' | b':' | b'!' | b'?' | b'#' | b'*');
    let before = word.bytes().take_while(|byte| is_mark(byte)).count();
    let after = word[before..].bytes().rev().take_while(|byte| is_mark(byte)).count();
    &word[before..word.len() - after]
}

/// `09:35`, `09:35:24`, `09:35:24.123`, `09:35:24Z`, `09:35:24+01:00`.
fn is_time(word: &[u8]) -> bool {
    let [a, b, b':', c, d, rest @ ..] = word else { return false };
    let digits = [a, b, c, d].iter().all(|byte| byte.is_ascii_digit());
    digits
        && rest.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.' | b'Z' | b'+' | b'-'))
}

/// Matches `2025-11-04` and `2025/11/04`, with or without a time after it.
fn is_date(word: &[u8]) -> bool {
    let [y @ .., _, _, _, _, _, _] = &word[..word.len().min(10)] else { return false };
    let day = word.len() >= 10
        && y.iter().all(u8::is_ascii_digit)
        && matches!((word[4], word[7]), (b'-', b'-') | (b'/', b'/'))
        && [5, 6, 8, 9].iter().all(|at| word[*at].is_ascii_digit());
    day && (word.len() == 10 || matches!(word[10], b'T' | b't' | b'_' | b':' | b'-'))
}

fn is_uuid(word: &[u8]) -> bool {
    word.len() == 36
        && word.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// `0x7ffee4b8`.
fn is_address(word: &[u8]) -> bool {
    matches!(word, [b'0', b'x' | b'X', rest @ ..] if rest.len() >= 4 && rest.iter().all(u8::is_ascii_hexdigit))
}

/// Returns whether a word has at least seven hexadecimal digits, both letters and figures: a commit, a
/// checksum.
fn is_hash(word: &[u8]) -> bool {
    if word.len() < 7 || !word.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        return false;
    }
    let figures = word.iter().filter(|byte| byte.is_ascii_digit()).count();
    figures >= 2 && figures < word.len()
}

/// `1.52s`, `532ms`, `2m30s`.
fn is_duration(word: &str) -> bool {
    let mut rest = word;
    let mut parts = 0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        if digits == 0 {
            return false;
        }
        rest = &rest[digits..];
        let letters = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        if !matches!(&rest[..letters], "ns" | "us" | "µs" | "ms" | "s" | "m" | "h") {
            return false;
        }
        rest = &rest[letters..];
        parts += 1;
    }
    parts > 0
}

/// Matches `127.0.0.1:54321` and `localhost:54321`: the port of a connection.
fn is_socket(word: &[u8]) -> bool {
    let digits = word.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let [host @ .., b':'] = &word[..word.len() - digits] else { return false };
    digits >= 4
        && (host == b"localhost"
            || host.split(|byte| *byte == b'.').count() == 4
                && host.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.'))
}

/// Returns whether a name lies below a folder for temporary files.
fn is_temporary(word: &[u8]) -> bool {
    memchr::memchr2_iter(b'/', b'\\', word)
        .any(|at| TEMPORARY.iter().any(|folder| word[at..].starts_with(folder.as_bytes())))
}

/// Returns whether the word before makes the number a name.
fn names(text: &str, start: usize) -> bool {
    // The longest such word has nine letters, so no more are read.
    let between =
        |byte: &u8| matches!(byte, b' ' | b'\t'..=b'\r' | b'#' | b':' | b'=' | b'(' | b'"' | b'\'' | b'_');
    let mut before = &text.as_bytes()[..start];
    while let [rest @ .., last] = before
        && between(last)
    {
        before = rest;
    }
    let length =
        before.iter().rev().take(LONGEST_NAMING + 1).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let word = &before[before.len() - length..];
    let is_this = |known: &&str| known.as_bytes().eq_ignore_ascii_case(word);
    word.first().is_some_and(|first| naming(first | 0x20).iter().any(is_this))
}

/// Returns whether the word after makes the number a duration.
fn measures_time(text: &str, end: usize) -> bool {
    let Some(after) = text[end..].strip_prefix(' ') else { return false };
    // Units begin with one of a few letters, one of which is not ASCII.
    if !matches!(after.bytes().next(), Some(b'n' | b'u' | b'm' | b's' | b'h' | 0x80..)) {
        return false;
    }
    let word = after.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    TIME_UNITS.contains(&word)
}

/// Matches `worker[4312]:`, the number of a process in a log.
fn is_tag(text: &str, word: &Range<usize>) -> bool {
    text[..word.start].ends_with('[') && text[word.end..].starts_with("]:")
}

/// Matches the milliseconds of `09:35:24,512`.
fn is_part_of_time(text: &str, start: usize) -> bool {
    let before = text[..start].strip_suffix(',').unwrap_or_default().as_bytes();
    before.len() >= 8 && is_time(&before[before.len() - 8..])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The reference implementation: tries every form.
    fn has_a_volatile_form(word: &str) -> bool {
        let shown = without_marks(word);
        let bytes = shown.as_bytes();
        let is_number = !bytes.is_empty() && bytes.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
        let begins_with_digit = bytes.first().is_some_and(u8::is_ascii_digit);
        let timed = is_time(bytes) || is_date(bytes) || is_address(bytes) || is_duration(shown);
        !is_number && (begins_with_digit && timed || is_uuid(bytes) || is_hash(bytes) || is_socket(bytes))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5000))]

        #[test]
        fn the_byte_after_the_number_rules_out_no_form(
            word in "[.:!?#*]{0,2}([0-9.]{0,4}|[0-9]{2}:[0-9]{2}|[0-9]{4}-[0-9]{2}-[0-9]{2}|0x[0-9a-f]{3,5}|[0-9]{1,2}(ns|us|µs|ms|s|m|h|x)\
                    |[0-9a-f]{6,9}|(localhost|[0-9]\\.0\\.0\\.1):[0-9]{3,5}|[0-9a-fg]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\
                    [0-9a-z.:/-]{0,2}[.:!?#*]{0,2}",
        ) {
            prop_assert_eq!(is_volatile(&word, 0..word.len(), false), has_a_volatile_form(&word), "{:?}", word);
        }
    }
}
