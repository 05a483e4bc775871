//! The part of an output that is read, and its first words.

use std::borrow::Cow;

use super::super::clip::clip;
use super::words::is_timestamp;

/// Number of bytes that are read at each end of a long output: the action comes first, error and summary last.
const END: usize = 2048;

/// Number of characters that represent an output without a matching rule.
const FIRST: usize = 50;

/// Returns both ends of `output` without terminal colours, which would split words.
pub(super) fn scanned(output: &str) -> Cow<'_, str> {
    let cut = if output.len() <= 2 * END {
        Cow::Borrowed(output)
    } else {
        let tail = &output[output.ceil_char_boundary(output.len() - END)..];
        Cow::Owned([clip(output, END), "\n", tail].concat())
    };
    if cut.contains('\u{1b}') { Cow::Owned(without_escapes(&cut)) } else { cut }
}

fn without_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        if char != '\u{1b}' {
            plain.push(char);
        } else if chars.next() == Some('[') {
            // A control sequence ends with its first letter or sign from `@` on.
            let _ = chars.find(|char| ('@'..='~').contains(char));
        }
    }
    plain
}

/// Returns the first 50 characters in lower case, with `-` for white space and without a leading time.
pub(super) fn first_words(text: &str) -> String {
    let mut text = text.trim();
    while let Some(first) = text.split_whitespace().next().filter(|word| is_timestamp(word)) {
        let rest = text[first.len()..].trim_start();
        if rest.is_empty() {
            break;
        }
        text = rest;
    }
    let mut words = String::new();
    let mut after_blank = false;
    for char in text.chars().take(FIRST) {
        let blank = char.is_whitespace();
        if !blank {
            words.extend(char.to_lowercase());
        } else if !after_blank {
            words.push('-');
        }
        after_blank = blank;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fifty_characters_are_kept_not_fifty_bytes() {
        let text = "É".repeat(60);
        assert_eq!(first_words(&text), "é".repeat(50));
        assert_eq!(first_words("  Hello \t\n World "), "hello-world");
    }

    #[test]
    fn a_leading_time_is_dropped_but_a_lone_one_is_kept() {
        assert_eq!(first_words("[2024-01-02T03:04:05Z] 12:00:01 Started"), "started");
        assert_eq!(first_words("12:00:01"), "12:00:01");
        assert_eq!(first_words("2 files"), "2-files");
    }

    #[test]
    fn both_ends_of_a_long_output_are_read() {
        let text = format!("begin{}end", "é".repeat(5000));
        let scanned = scanned(&text);
        assert!(scanned.starts_with("begin") && scanned.ends_with("end"));
        assert!(scanned.len() <= 2 * END + 1);
    }

    #[test]
    fn colours_do_not_split_words() {
        assert_eq!(scanned("\u{1b}[1;31mError\u{1b}[0m: x\u{1b}[3"), "Error: x");
    }
}
