//! Texts of a log for a page: without secrets, bounded, and without invisible characters.

use loopbreak::text::{clip, mask_secrets};

/// Number of bytes after the cut that are searched for a secret that starts before it.
const BEYOND: usize = 512;

/// Returns at most this number of bytes of a text, with an ellipsis if there was more.
pub fn visible_text(text: &str, bytes: usize) -> String {
    let near = clip(text, bytes.saturating_add(BEYOND));
    let masked = mask_secrets(near);
    // If the text continues, its last word may be half of a secret.
    let whole = if near.len() < text.len() {
        masked.rfind(char::is_whitespace).map_or(&*masked, |end| &masked[..end])
    } else {
        &*masked
    };
    let cut = clip(whole, bytes);
    let mut shown: String = cut.chars().map(visible).collect();
    if cut.len() < masked.len() || near.len() < text.len() {
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
        '\u{80}'..='\u{9F}'
        | '\u{61C}'
        | '\u{200B}'
        | '\u{200E}'
        | '\u{200F}'
        | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}'
        | '\u{FEFF}'
        | '\u{FFF9}'..='\u{FFFB}' => '\u{FFFD}',
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
