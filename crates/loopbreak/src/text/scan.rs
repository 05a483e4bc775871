//! Searches for bytes, eight at a time.

/// Returns eight copies of a byte.
const fn eight(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

const LOW: u64 = eight(0x7f);
const HIGH: u64 = eight(0x80);

/// Returns the highest bit of each of eight bytes that equals `byte`.
#[inline]
pub(crate) fn equal(bytes: u64, byte: u8) -> u64 {
    let differ = bytes ^ eight(byte);
    !(((differ & LOW) + LOW) | differ) & HIGH
}

/// Returns the highest bit of each of eight bytes in the ASCII range from `first` to `last`.
#[inline]
pub(crate) fn between(bytes: u64, first: u8, last: u8) -> u64 {
    let low = bytes & LOW;
    let reaches = low + eight(0x80 - first);
    let passes = low + eight(0x7f - last);
    reaches & !passes & !bytes & HIGH
}

/// Number of bytes that are converted to bits at once.
pub(crate) const BLOCK: usize = 64;

/// Returns a bit for each position of a block that matches. The first position is the lowest bit. Without
/// branches, this compiles to a few vector instructions.
#[inline]
pub(crate) fn bits(is: impl Fn(usize) -> bool) -> u64 {
    let mut marks = [0_u8; BLOCK];
    for (at, mark) in marks.iter_mut().enumerate() {
        *mark = if is(at) { 1 << (at % 8) } else { 0 };
    }
    let (groups, _) = marks.as_chunks::<8>();
    let mut bits = [0; BLOCK / 8];
    for (bits, group) in bits.iter_mut().zip(groups) {
        // No two marks of a group share a bit, so the product has all of them in its highest byte.
        *bits = (u64::from_le_bytes(*group).wrapping_mul(eight(1)) >> 56) as u8;
    }
    u64::from_le_bytes(bits)
}

/// Returns a text without surrounding white space. The first and last byte show that most texts have none.
#[inline]
pub(crate) fn trimmed(text: &str) -> &str {
    let solid = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_graphic);
    let bytes = text.as_bytes();
    if solid(bytes.first()) && solid(bytes.last()) { text } else { text.trim() }
}

/// Returns the position of the first byte that `marks` marks in its group of eight.
#[inline]
pub(crate) fn position(bytes: &[u8], marks: impl Fn(u64) -> u64) -> Option<usize> {
    let (groups, rest) = bytes.as_chunks::<8>();
    for (at, group) in groups.iter().enumerate() {
        let marked = marks(u64::from_le_bytes(*group));
        if marked != 0 {
            return Some(8 * at + marked.trailing_zeros() as usize / 8);
        }
    }
    // The remaining bytes, padded with bytes that are ignored.
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let found = marks(u64::from_le_bytes(last)).trailing_zeros() as usize / 8;
    (found < rest.len()).then_some(8 * groups.len() + found)
}

/// Returns whether a text contains one of these words, without regard to case. Searches for the first letter of each
/// word.
pub(crate) fn mentions(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| mentions_one(text.as_bytes(), word.as_bytes()))
}

fn mentions_one(text: &[u8], word: &[u8]) -> bool {
    let Some(&first) = word.first() else { return true };
    let (lower, upper) = (first.to_ascii_lowercase(), first.to_ascii_uppercase());
    let mut at = 0;
    while let Some(found) = position(&text[at..], |group| equal(group, lower) | equal(group, upper)) {
        at += found;
        if text[at..].get(..word.len()).is_some_and(|here| here.eq_ignore_ascii_case(word)) {
            return true;
        }
        at += 1;
    }
    false
}

/// Returns the end of the JSON string whose first character is at `from`: its closing quote, or the end of the text.
#[inline]
pub(crate) fn end_of_string(json: &[u8], from: usize) -> usize {
    let mut end = from;
    while let Some(found) =
        json.get(end..).and_then(|rest| position(rest, |group| equal(group, b'"') | equal(group, b'\\')))
    {
        end += found;
        if json[end] == b'"' {
            return end;
        }
        // An escaped character does not end the string.
        end += 2;
    }
    json.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_first_matching_byte_is_found(bytes in prop::collection::vec(any::<u8>(), 0..80), wanted: u8) {
            let first = |is: &dyn Fn(u8) -> bool| bytes.iter().position(|byte| is(*byte));
            prop_assert_eq!(position(&bytes, |group| equal(group, wanted)), first(&|byte| byte == wanted));
            let upper = position(&bytes, |group| between(group, b'A', b'Z'));
            prop_assert_eq!(upper, first(&|byte| byte.is_ascii_uppercase()));
        }

        #[test]
        fn each_position_has_its_bit(wanted: u64) {
            prop_assert_eq!(bits(|at| wanted >> at & 1 != 0), wanted);
        }

        #[test]
        fn trims_like_the_standard_library(text in "[ \\t\u{a0}\u{2003}aé]{0,6}") {
            prop_assert_eq!(trimmed(&text), text.trim());
        }

        #[test]
        fn a_word_is_found_regardless_of_case(text in "[a-cA-C ]{0,40}", word in "[a-c]{1,3}") {
            prop_assert_eq!(mentions(&text, &["x", &word]), text.to_ascii_lowercase().contains(&word));
        }

        #[test]
        fn a_string_ends_at_its_quote(text in any::<String>(), after in ".{0,20}") {
            let json = serde_json::to_string(&text).unwrap();
            let whole = format!("{json}{after}");
            prop_assert_eq!(end_of_string(whole.as_bytes(), 1), json.len() - 1);
        }
    }

    #[test]
    fn a_string_without_an_end_ends_with_the_text() {
        for text in ["", "\"", "\"abc", "\"abc\\", "\"abc\\\""] {
            assert_eq!(end_of_string(text.as_bytes(), 1), text.len(), "{text}");
        }
    }
}
