//! Texts of a log for a page: without secrets, bounded, and without invisible characters.

use loopbreak::text::{clip, clip_masked, is_invisible};

/// Longest character, in bytes. So much more than is shown tells whether there is more.
const CHAR_BYTES: usize = 4;

/// Returns at most this number of bytes of a text, with an ellipsis if there was more.
pub fn visible_text(text: &str, bytes: usize) -> String {
    let masked = clip_masked(text, bytes.saturating_add(CHAR_BYTES));
    let cut = clip(&masked, bytes);
    let mut shown: String = cut.chars().map(visible).collect();
    if cut.len() < masked.len() {
        shown.push('…');
    }
    shown
}

/// Replaces characters that are invisible or reverse the direction of the line.
fn visible(char: char) -> char {
    match char {
        '\n' | '\t' => char,
        '\r' => ' ',
        '\0'..='\u{1F}' => char::from_u32(0x2400 + u32::from(char)).unwrap_or('\u{FFFD}'),
        '\u{7F}' => '\u{2421}',
        _ if is_invisible(char) => '\u{FFFD}',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_are_made_visible() {
        assert_eq!(visible_text("a\u{1b}[2Jb\nc\u{202E}d\0", 40), "a␛[2Jb\nc\u{FFFD}d␀");
    }

    #[test]
    fn a_truncated_text_ends_with_an_ellipsis() {
        assert_eq!(
            (visible_text("abc", 3), visible_text("abcd", 3), visible_text("äöü", 3)),
            ("abc".into(), "abc…".into(), "ä…".into())
        );
        assert_eq!(visible_text(&"x".repeat(5000), 4), "xxxx…");
    }

    #[test]
    fn a_secret_across_the_cut_is_hidden() {
        let text = format!("curl -H 'Authorization: Bearer {}'", "abcdefghij0123456789".repeat(3));
        for bytes in 20..text.len() {
            assert!(!visible_text(&text, bytes).contains("abcdef"), "{bytes}");
        }
    }
}
