//! The style of a report: width, colours, and the characters that a terminal can show.

use anstyle::{AnsiColor, Style};
use loopbreak::text::is_invisible;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use loopbreak_analysis::VerdictName;

/// The style of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextStyle {
    /// Width in columns.
    pub width: usize,
    /// The terminal shows more than ASCII.
    pub unicode: bool,
    /// Uses colours.
    pub colour: bool,
    /// Breaks long lines between words. Only for a terminal: programs that read the output expect one line each.
    pub wraps: bool,
}

impl Default for TextStyle {
    fn default() -> Self {
        TextStyle { width: 80, unicode: true, colour: false, wraps: false }
    }
}

impl TextStyle {
    /// Returns the style for a terminal of this width, or for other output. `variable` returns variables of the
    /// environment.
    pub fn for_terminal(
        terminal: Option<usize>,
        colour: bool,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let variable = |name| variable(name).filter(|value| !value.is_empty());
        let locale = variable("LC_ALL").or_else(|| variable("LC_CTYPE")).or_else(|| variable("LANG"));
        TextStyle {
            width: width(variable("COLUMNS").as_deref(), terminal),
            unicode: shows_unicode(locale.as_deref(), variable("TERM").as_deref()),
            colour,
            wraps: terminal.is_some(),
        }
    }

    /// Returns one sign or the other.
    pub(crate) fn sign<'s>(&self, unicode: &'s str, ascii: &'s str) -> &'s str {
        if self.unicode { unicode } else { ascii }
    }

    pub(super) fn style(&self, style: Style) -> Style {
        if self.colour { style } else { Style::new() }
    }

    /// Returns the style of what matters less.
    pub fn dim(&self) -> Style {
        self.style(Style::new().dimmed())
    }

    /// Returns the style of names.
    pub fn bold(&self) -> Style {
        self.style(Style::new().bold())
    }

    pub(super) fn coloured(&self, colour: AnsiColor) -> Style {
        self.style(colour.on_default())
    }

    /// Returns the style of a verdict.
    pub fn verdict_style(&self, verdict: VerdictName) -> Style {
        let colour = match verdict {
            VerdictName::Clear => AnsiColor::Green,
            VerdictName::Warn => AnsiColor::Yellow,
            _ => AnsiColor::Red,
        };
        self.style(colour.on_default().bold())
    }

    /// Prepares a text of the log for one line of at most `width` columns. Control characters are replaced, because
    /// they could move the cursor.
    pub(crate) fn fit(&self, text: &str, width: usize) -> String {
        let visible = |char: char| if is_invisible(char) { ' ' } else { char };
        let clean: String = text.chars().map(visible).collect();
        // The only signs in sentences of the engine that are not ASCII.
        let clean = if self.unicode {
            clean
        } else {
            clean.replace('→', "->").replace('‹', "<").replace('…', "...")
        };
        let clean = clean.trim();
        if clean.width() <= width {
            return clean.to_owned();
        }
        let more = self.sign("…", "...");
        head(clean, width.saturating_sub(more.width())).to_owned() + more
    }

    /// Like [`TextStyle::fit`], cut between two words if that leaves most of the sentence.
    pub(crate) fn fit_words(&self, text: &str, width: usize) -> String {
        let whole = self.fit(text, usize::MAX);
        if whole.width() <= width {
            return whole;
        }
        let more = self.sign(" …", " ...");
        // One character more, to see whether a word that just fits ends there.
        let room = width.saturating_sub(more.width());
        let cut = head(&whole, room + 1);
        let words = cut.rfind(' ').map_or("", |end| cut[..end].trim_end_matches([' ', ',', ';', ':']));
        if words.is_empty() || words.width() * 2 < room {
            self.fit(&whole, width)
        } else {
            words.to_owned() + more
        }
    }

    /// Breaks a text of the log between words into lines of at most `width` columns. A longer word is cut.
    pub(crate) fn wrap(&self, text: &str, width: usize) -> Vec<String> {
        let mut lines = Vec::new();
        for paragraph in text.lines() {
            let mut line = String::new();
            for word in self.fit(paragraph, usize::MAX).split(' ').filter(|word| !word.is_empty()) {
                if !line.is_empty() && line.width() + 1 + word.width() > width {
                    lines.push(std::mem::take(&mut line));
                }
                if !line.is_empty() {
                    line.push(' ');
                }
                line += &self.fit(word, width);
            }
            if !line.is_empty() {
                lines.push(line);
            }
        }
        lines
    }

    /// Breaks a line between words for a terminal, with further lines indented. Elsewhere returns it as it is.
    pub fn wrap_line(&self, line: &str, columns: usize, indent: usize) -> String {
        if !self.wraps || line.width() <= columns || columns <= indent + 20 {
            return line.to_owned();
        }
        let mut out = String::with_capacity(line.len() + 16);
        let mut used = 0;
        // Blanks at the beginning and between columns are kept.
        for piece in line.split_inclusive(' ') {
            let word = piece.trim_end_matches(' ').width();
            if used > indent && word > 0 && used + word > columns {
                out.truncate(out.trim_end_matches(' ').len());
                out.push('\n');
                out.extend(std::iter::repeat_n(' ', indent));
                used = indent;
            }
            out += piece;
            used += piece.width();
        }
        out
    }

    /// Highlights the first column of a table: the text up to two blanks. Headings and indented lines are left as they are.
    pub fn highlight_first_column(&self, table: &str) -> String {
        if !self.colour {
            return table.to_owned();
        }
        let (bold, dim) = (self.bold(), self.dim());
        let mut out = String::with_capacity(table.len() * 2);
        for line in table.split_inclusive('\n') {
            let (text, end) = line.strip_suffix('\n').map_or((line, ""), |text| (text, "\n"));
            match text.find("  ") {
                Some(0) => out.extend([&format!("{dim}{text}{dim:#}"), end]),
                Some(at) => out.extend([&format!("{bold}{}{bold:#}{}", &text[..at], &text[at..]), end]),
                None => out.push_str(line),
            }
        }
        out
    }

    /// Cuts a name in its middle, because runs of one series differ at their ends.
    pub(crate) fn fit_name(&self, name: &str, width: usize) -> String {
        let whole = self.fit(name, usize::MAX);
        if whole.width() <= width {
            return whole;
        }
        let head = self.fit(&whole, width.div_ceil(2));
        let room = width.saturating_sub(head.width());
        let mut tail: Vec<char> = Vec::new();
        let mut used = 0;
        for char in whole.chars().rev() {
            used += char.width().unwrap_or(0);
            if used > room {
                break;
            }
            tail.push(char);
        }
        head + &tail.iter().rev().collect::<String>()
    }
}

/// Returns the number of columns: `COLUMNS`, else the width of the terminal, else 80. Longer lines than 120
/// columns are hard to read.
fn width(columns: Option<&str>, terminal: Option<usize>) -> usize {
    let given = columns.and_then(|columns| columns.trim().parse().ok()).filter(|columns| *columns > 0);
    given.or(terminal).unwrap_or(80).clamp(60, 120)
}

/// Returns whether the terminal shows more than ASCII. Without a locale, as in most containers, it is assumed
/// to.
fn shows_unicode(locale: Option<&str>, terminal: Option<&str>) -> bool {
    let utf8 = |locale: &str| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    };
    !matches!(terminal, Some("dumb" | "linux")) && locale.is_none_or(utf8)
}

/// Returns as much of a text as fits into `width` columns. Measured as a whole, because some characters are wide only
/// together.
fn head(text: &str, width: usize) -> &str {
    let mut end = 0;
    for (start, char) in text.char_indices() {
        let next = start + char.len_utf8();
        if text[..next].width() > width {
            break;
        }
        end = next;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locale_without_utf_8_gets_ascii() {
        assert!(shows_unicode(Some("en_GB.UTF-8"), Some("xterm-256color")));
        assert!(shows_unicode(Some("C.utf8"), None));
        assert!(shows_unicode(None, None));
        assert!(!shows_unicode(Some("C"), None));
        assert!(!shows_unicode(Some("de_DE.ISO-8859-1"), None));
        assert!(!shows_unicode(Some("en_GB.UTF-8"), Some("dumb")));
    }

    #[test]
    fn the_width_comes_from_columns_or_from_the_terminal() {
        assert_eq!(width(Some("100"), Some(90)), 100);
        assert_eq!((width(None, Some(90)), width(None, None)), (90, 80));
        assert_eq!(
            (width(Some("wide"), None), width(Some("0"), Some(90)), width(Some("-5"), None)),
            (80, 90, 80)
        );
        assert_eq!((width(Some("20"), None), width(Some("500"), None)), (60, 120));
    }

    #[test]
    fn a_log_cannot_move_the_cursor() {
        assert_eq!(TextStyle::default().fit("a\x1b[2Jb\nc\u{202E}d", 40), "a [2Jb c d");
    }

    #[test]
    fn a_long_text_ends_in_dots_and_wide_characters_count_twice() {
        let look = TextStyle::default();
        assert_eq!(look.fit("abcdef", 4), "abc…");
        assert_eq!(look.fit("日本語", 4), "日…");
        assert_eq!(look.fit_name("日本", 6), "日本");
        assert_eq!(look.fit_name("run_2024-07-22_18-44-09", 12), "run_2…-44-09");
        assert_eq!(TextStyle { unicode: false, ..look }.fit("abcdef", 4), "a...");
        assert_eq!(TextStyle { unicode: false, ..look }.fit("a → b", 40), "a -> b");
        // An umbrella, and a character that makes it a wide emoji.
        assert_eq!(look.fit("\u{2602}\u{FE0F}\u{2602}\u{FE0F}", 3).width(), 3);
    }

    /// The edge of the terminal would break a word in its middle.
    #[test]
    fn a_long_line_is_broken_between_words_on_a_terminal_only() {
        let look = TextStyle { wraps: true, ..TextStyle::default() };
        let line = "warn     ep-7  turn 4  cycle: the same call with the same result";
        let wrapped = look.wrap_line(line, 40, 9);
        assert_eq!(wrapped, "warn     ep-7  turn 4  cycle: the same\n         call with the same result");
        assert_eq!(TextStyle::default().wrap_line(line, 40, 9), line, "a program reads one line");
        assert_eq!(look.wrap_line(line, 100, 9), line);
        assert_eq!(look.wrap("one two three\nfour", 8), ["one two", "three", "four"]);
    }

    #[test]
    fn the_first_column_of_a_table_is_highlighted_where_there_are_colours() {
        let table = "chat         Chat messages\n             *.json\nend\n";
        let coloured = TextStyle { colour: true, ..TextStyle::default() }.highlight_first_column(table);
        assert!(coloured.starts_with("\x1b[1mchat\x1b[0m         Chat messages\n\x1b[2m"), "{coloured:?}");
        assert!(coloured.ends_with("end\n"));
        assert_eq!(TextStyle::default().highlight_first_column(table), table);
    }

    #[test]
    fn a_sentence_is_cut_between_words() {
        let look = TextStyle::default();
        assert_eq!(look.fit_words("returns to the hall", 19), "returns to the hall");
        assert_eq!(look.fit_words("returns to the hall", 18), "returns to the …");
        assert_eq!(look.fit_words("returns to the hall", 16), "returns to the …");
        assert_eq!(look.fit_words("leads back, 1 visit", 14), "leads back …", "and not behind a comma");
        assert_eq!(look.fit_words("https://example.org/long", 10), "https://e…");
        assert_eq!(TextStyle { unicode: false, ..look }.fit_words("one two three", 12), "one two ...");
        assert_eq!(look.fit_words("one two", 0).width(), 1);
    }
}
