//! Cuts texts to a size in bytes.
//!
//! Memory and snapshots of the engine are bounded. A snapshot is JSON, where a control
//! character takes up to six bytes, so a bound on the plain length does not bound the output.
//! The `escaped` variants count bytes as the JSON writer does.

use std::borrow::Cow;

use super::scan::{between, equal};

/// Returns the longest prefix of `text` that takes at most `max_bytes`, cut between characters.
pub fn clip(text: &str, max_bytes: usize) -> &str {
    &text[..text.floor_char_boundary(max_bytes)]
}

/// Returns the longest prefix of `text` that takes at most `max_bytes` inside a JSON string.
pub fn clip_escaped(text: &str, max_bytes: usize) -> &str {
    // Most texts need no escape.
    let head = clip(text, max_bytes);
    if escaped_len(head) == head.len() {
        return head;
    }
    let mut room = max_bytes;
    let end = text.bytes().position(|byte| !take(&mut room, byte)).unwrap_or(text.len());
    clip(text, end)
}

/// Returns the text if it takes at most `max_bytes` inside a JSON string, else its beginning and its end.
///
/// Beginning and end are joined without a separator: the result is compared with other texts, and a
/// separator would make them more similar.
pub fn head_and_tail(text: &str, max_bytes: usize) -> Cow<'_, str> {
    if clip_escaped(text, max_bytes).len() == text.len() {
        return Cow::Borrowed(text);
    }
    let head = clip_escaped(text, max_bytes / 2);
    let mut room = max_bytes - escaped_len(head);
    let after_cut = text.bytes().rposition(|byte| !take(&mut room, byte)).map_or(0, |cut| cut + 1);
    let tail = &text[text.ceil_char_boundary(after_cut)..];
    Cow::Owned([head, tail].concat())
}

/// Returns the number of bytes that `text` takes inside a JSON string, without the quotes.
pub fn escaped_len(text: &str) -> usize {
    let escapes = |group| between(group, 0, 0x1f) | equal(group, b'"') | equal(group, b'\\');
    let (groups, rest) = text.as_bytes().as_chunks::<8>();
    let one_by_one = |bytes: &[u8]| bytes.iter().map(|byte| escaped_byte_len(*byte)).sum::<usize>();
    // Most groups of bytes need no escape.
    let lengths = groups
        .iter()
        .map(|group| if escapes(u64::from_le_bytes(*group)) == 0 { group.len() } else { one_by_one(group) });
    lengths.sum::<usize>() + one_by_one(rest)
}

const LONGEST_ESCAPE: usize = 6;

/// Takes the bytes that `byte` needs from `room`. Returns whether it fits.
fn take(room: &mut usize, byte: u8) -> bool {
    match room.checked_sub(escaped_byte_len(byte)) {
        Some(rest) => {
            *room = rest;
            true
        }
        None => false,
    }
}

const fn escaped_byte_len(byte: u8) -> usize {
    match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 2,
        0x00..0x20 => LONGEST_ESCAPE,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(text: &str) -> usize {
        serde_json::to_string(text).unwrap().len() - 2
    }

    #[test]
    fn a_character_is_never_cut_in_two() {
        assert_eq!(clip("añb", 2), "a");
        assert_eq!(clip("añb", 3), "añ");
        assert_eq!(clip_escaped("\n€", 4), "\n");
        assert_eq!(head_and_tail("€€€€", 7), "€€");
    }

    #[test]
    fn an_escape_is_counted_as_it_is_written() {
        assert_eq!(clip_escaped("\"\"\"", 5), "\"\"");
        assert_eq!(clip_escaped("a\u{1}b", 6), "a");
        assert_eq!(clip_escaped("a\u{1}b", 7), "a\u{1}");
        assert_eq!(clip_escaped("a\u{7f}b", 3), "a\u{7f}b");
    }

    #[test]
    fn a_long_text_keeps_its_beginning_and_its_end() {
        assert_eq!(head_and_tail("0123456789", 4), "0189");
        assert_eq!(head_and_tail("0123456789", 5), "01789");
        assert_eq!(head_and_tail("0123456789", 0), "");
        assert!(matches!(head_and_tail("0123456789", 10), Cow::Borrowed("0123456789")));
    }

    proptest! {
        #[test]
        fn the_length_is_the_one_that_the_json_writer_needs(text in any::<String>()) {
            prop_assert_eq!(escaped_len(&text), written(&text));
        }

        #[test]
        fn a_clip_is_the_longest_that_fits(text in "[a\"\n\u{1}é€😀]{0,20}", max in 0_usize..40) {
            let plain = clip(&text, max);
            let escaped = clip_escaped(&text, max);
            prop_assert!(text.starts_with(plain) && plain.len() <= max);
            prop_assert!(text.starts_with(escaped) && written(escaped) <= max);
            if let Some(next) = text[plain.len()..].chars().next() {
                prop_assert!(plain.len() + next.len_utf8() > max);
            }
            if let Some(next) = text[escaped.len()..].chars().next() {
                prop_assert!(written(escaped) + written(next.encode_utf8(&mut [0; 4])) > max);
            }
        }

        #[test]
        fn head_and_tail_fit_and_come_from_the_ends(text in "[a-c\"\n\u{1}é€😀]{0,40}", max in 0_usize..60) {
            let cut = head_and_tail(&text, max);
            prop_assert!(written(&cut) <= max);
            let whole = written(&text) <= max;
            prop_assert_eq!(whole, matches!(cut, Cow::Borrowed(_)));
            let head = clip_escaped(&text, max / 2);
            prop_assert!(cut.starts_with(head));
            if !whole {
                prop_assert!(text.ends_with(&cut[head.len()..]));
            }
        }
    }
}
