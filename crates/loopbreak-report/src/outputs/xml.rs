//! XML that is well formed whatever texts it contains.

use loopbreak::text::is_invisible;

/// Adds text as content. Characters that XML 1.0 cannot contain or that cannot be seen are replaced.
pub(super) fn content(out: &mut String, text: &str) {
    escaped(out, text, false);
}

fn escaped(out: &mut String, text: &str, attribute: bool) {
    for char in text.chars() {
        match char {
            '\n' | '\t' if !attribute => out.push(char),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // In an attribute these would be read as a blank.
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            '\t' => out.push_str("&#9;"),
            _ if is_invisible(char) => out.push('\u{FFFD}'),
            '\u{20}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'.. => out.push(char),
            _ => out.push('\u{FFFD}'),
        }
    }
}

/// Adds an attribute.
pub(super) fn attribute(out: &mut String, name: &str, value: &str) {
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    escaped(out, value, true);
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_content_stay_lines() {
        let mut out = String::new();
        content(&mut out, "a\r\n\t<b>");
        assert_eq!(out, "a&#13;\n\t&lt;b&gt;");
    }

    #[test]
    fn nothing_breaks_out_and_nothing_forbidden_gets_in() {
        let mut out = String::new();
        attribute(&mut out, "name", "a\"><b>&amp;\u{0}\u{1b}[2J\u{FFFE}\r\n\t]]>\u{1F600}");
        assert_eq!(
            out,
            " name=\"a&quot;&gt;&lt;b&gt;&amp;amp;\u{FFFD}\u{FFFD}[2J\u{FFFD}&#13;&#10;&#9;]]&gt;\u{1F600}\""
        );
    }
}
