//! Text of several lines that fits a terminal.

use super::TextStyle;

/// Width of the label of a check, such as `ok`, and of the blanks around it.
const LABEL_COLUMNS: usize = 11;

impl TextStyle {
    /// Breaks lines without colours between words for a terminal. Further lines begin below the text of the first one.
    pub fn wrap_lines(&self, text: &str) -> String {
        let wrapped = text.split_inclusive('\n').map(|line| {
            let indent = match line.len() - line.trim_start_matches(' ').len() {
                0 => 2,
                2 => LABEL_COLUMNS,
                more => more,
            };
            self.wrap_line(line, self.width, indent)
        });
        wrapped.collect()
    }

    /// Does the same with lines that may begin with a coloured label.
    pub fn wrap_labelled_lines(&self, text: &str) -> String {
        let wrapped = text.split_inclusive('\n').map(|line| {
            let escape = line.rfind('\u{1b}');
            let start = escape.and_then(|at| Some(at + line[at..].find('m')? + 1)).unwrap_or(0);
            let (coloured, rest) = line.split_at(start);
            let label = without_colours(coloured);
            match self.wrap_lines(&format!("{label}{rest}")).strip_prefix(&label) {
                Some(rest) => format!("{coloured}{rest}"),
                None => line.to_owned(),
            }
        });
        wrapped.collect()
    }
}

/// Returns a text without the sequences that set colours.
fn without_colours(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |plain, part| plain + part.split_once('m').map_or(part, |(_, rest)| rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words_below_their_text() {
        let style = TextStyle { width: 40, wraps: true, ..TextStyle::default() };
        let text =
            "  ok       a check with a long result that is divided\n           and its advice\nshort\n";
        let wrapped = "  ok       a check with a long result\n           that is divided\n           and its advice\nshort\n";
        assert_eq!(style.wrap_lines(text), wrapped);
        let (bold, end) = ("\u{1b}[1m\u{1b}[31m", "\u{1b}[0m");
        let coloured = |text: &str| text.replace("ok", &format!("{bold}ok{end}"));
        assert_eq!(style.wrap_labelled_lines(&coloured(text)), coloured(wrapped), "colours take no room");
        let elsewhere = TextStyle { wraps: false, ..style };
        assert_eq!(elsewhere.wrap_labelled_lines(&coloured(text)), coloured(text));
    }

    #[test]
    fn a_line_that_ends_in_a_colour_is_left_as_it_is() {
        let style = TextStyle { width: 40, wraps: true, ..TextStyle::default() };
        let line = "\u{1b}[2ma line that is all of one colour and longer than the terminal\u{1b}[0m";
        assert_eq!(style.wrap_labelled_lines(line), line);
    }
}
