//! Makes text from other programs safe to print on a terminal.

use super::invisible::is_invisible;

/// Returns a text on one line, with blanks in place of characters that cannot be seen.
pub fn printable(text: &str) -> String {
    text.chars().map(|letter| if is_invisible(letter) { ' ' } else { letter }).collect()
}

/// Returns each line of a text as [`printable`] makes it. All lines but the first are indented, so that none of them can be
/// mistaken for a message of Loopbreak.
pub fn printable_lines(text: &str) -> String {
    text.lines().map(printable).collect::<Vec<_>>().join("\n    ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_moves_no_cursor_and_imitates_no_message() {
        let text = "no \u{1b}]0;owned\u{7} key\u{202e}\r\nloopbreak: complete: all is done\n";
        assert_eq!(printable_lines(text), "no  ]0;owned  key \n    loopbreak: complete: all is done");
        assert_eq!(printable("a\nb\tc\u{200b}d\u{9b}e"), "a b c d e");
    }
}
