//! Characters that cannot be seen: control characters, characters without width, and those that change the writing direction.

/// Returns whether a character changes what a reader sees without being seen itself. A terminal, a page or a model may act on
/// such a character, so texts of other programs never contain one where people or agents read them.
pub fn is_invisible(letter: char) -> bool {
    if letter.is_ascii() {
        return letter.is_ascii_control();
    }
    matches!(letter,
        // C1 control characters, and the soft hyphen.
        '\u{80}'..='\u{9f}' | '\u{ad}'
        // Joiners and fillers of single scripts.
        | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        // Without width, line and paragraph separators, and the writing direction.
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0d}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        // Tags and variation selectors, with which a text can be hidden in another one.
        | '\u{e0000}'..='\u{e0fff}')
}

/// Appends the name of an invisible character: `\n` for the end of a line, a blank for a tab, `\u{202e}` for others.
pub(crate) fn push_revealed(text: &mut String, letter: char) {
    match letter {
        '\t' => text.push(' '),
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => text.push_str("\\n"),
        _ => text.extend(letter.escape_unicode()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_signs_and_emoji_are_visible() {
        for letter in "aé→…“”✓⚠\u{fe0f}中ا\u{a0}😀 ".chars() {
            assert!(!is_invisible(letter), "{letter:?}");
        }
        for letter in
            "\0\u{1b}\u{7f}\u{9b}\u{ad}\u{200b}\u{200d}\u{200e}\u{202e}\u{2028}\u{2066}\u{feff}\u{e0041}"
                .chars()
        {
            assert!(is_invisible(letter), "{letter:?}");
        }
    }
}
