//! Looking for a byte, many bytes at a time.

/// Bytes that are looked at together: as many as the smallest register for it that every machine has.
const TOGETHER: usize = 16;

/// Where the first byte is that is wanted. Groups of bytes are looked at whole, without stopping at the first find: that
/// is what lets the compiler look at all of them at once.
#[inline]
pub(crate) fn position(bytes: &[u8], wanted: impl Fn(u8) -> bool) -> Option<usize> {
    let (groups, rest) = bytes.as_chunks::<TOGETHER>();
    for (at, group) in groups.iter().enumerate() {
        if group.iter().fold(false, |found, byte| found | wanted(*byte)) {
            return group.iter().position(|byte| wanted(*byte)).map(|found| at * TOGETHER + found);
        }
    }
    let found = rest.iter().position(|byte| wanted(*byte));
    found.map(|found| groups.len() * TOGETHER + found)
}

/// Where the JSON string ends whose first character is at `from`: at its closing quote, or at the end of the text.
#[inline]
pub(crate) fn end_of_string(json: &[u8], from: usize) -> usize {
    let mut end = from;
    while let Some(found) =
        json.get(end..).and_then(|rest| position(rest, |byte| matches!(byte, b'"' | b'\\')))
    {
        end += found;
        if json[end] == b'"' {
            return end;
        }
        // Whatever is escaped is no end.
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
        fn the_first_of_its_kind_is_found(bytes in prop::collection::vec(0u8..20, 0..80)) {
            prop_assert_eq!(position(&bytes, |byte| byte == 7), bytes.iter().position(|byte| *byte == 7));
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
