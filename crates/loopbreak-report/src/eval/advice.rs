//! Two sets of texts, side by side.

use std::fmt::{self, Write};

use loopbreak_analysis::eval::{AdviceComparison, AdvicePair};
use unicode_width::UnicodeWidthStr as _;

use crate::number::plural;
use crate::text::TextStyle;

/// Maximum width: longer lines are hard to read.
const WIDEST: usize = 100;

/// Renders a comparison of texts.
pub fn render_advice(comparison: &AdviceComparison, look: &TextStyle) -> String {
    let look = TextStyle { width: look.width.min(WIDEST), ..*look };
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut out, comparison, &look);
    out
}

fn write(out: &mut String, comparison: &AdviceComparison, look: &TextStyle) -> fmt::Result {
    let (dim, dash) = (look.dim(), look.sign("–", "-"));
    writeln!(out, "{dim}{:>10}{:>13}{:>9}  set{dim:#}", "texts", "mean length", "longest")?;
    for set in &comparison.sets {
        let mean = set.mean_length.map_or(dash.to_owned(), |mean| format!("{mean:.0}"));
        writeln!(out, "{:>10}{mean:>13}{:>9}  {}", set.texts, set.longest, look.fit_name(&set.name, 60))?;
    }
    if comparison.patterns.is_empty() {
        return writeln!(out, "\nno findings with texts");
    }
    let names = comparison.sets.each_ref().map(|set| set.name.as_str());
    comparison.patterns.iter().try_for_each(|pair| pattern(out, pair, names, look))
}

fn pattern(out: &mut String, pair: &AdvicePair, names: [&str; 2], look: &TextStyle) -> fmt::Result {
    let (bold, dim) = (look.bold(), look.dim());
    let findings = plural(pair.findings, "finding");
    writeln!(
        out,
        "\n{bold}{} {}{bold:#}, for the {}: {findings}",
        pair.detector.as_str(),
        pair.pattern,
        pair.audience.as_str()
    )?;
    let at = format!("turn {} of {} in {}", pair.turn, pair.run, pair.source);
    writeln!(out, "{dim}{}{dim:#}", look.fit(&at, look.width))?;
    let room = look.width.saturating_sub(3) / 2;
    let bar = look.sign("│", "|");
    let [left, right] = names.map(|name| look.fit_name(name, room));
    writeln!(out, "{dim}{left:<room$} {bar} {right}{dim:#}")?;
    let none = look.sign("–", "-");
    let [left, right] =
        pair.texts.each_ref().map(|text| wrapped(text.as_deref().unwrap_or(none), room, look));
    for line in 0..left.len().max(right.len()) {
        let [left, right] = [&left, &right].map(|lines| lines.get(line).map_or("", String::as_str));
        let gap = " ".repeat(room.saturating_sub(left.width()));
        writeln!(out, "{}", format!("{left}{gap} {bar} {right}").trim_end())?;
    }
    Ok(())
}

/// Breaks a text into lines of this width, and keeps its own line breaks. A longer word is cut.
fn wrapped(text: &str, width: usize, look: &TextStyle) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            let word = look.fit(word, width);
            if line.is_empty() {
                line = word;
            } else if line.width() + 1 + word.width() <= width {
                line = format!("{line} {word}");
            } else {
                lines.push(std::mem::replace(&mut line, word));
            }
        }
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_broken_between_words() {
        let look = TextStyle::default();
        assert_eq!(wrapped("one two three", 7, &look), ["one two", "three"]);
        assert_eq!(wrapped("extraordinary", 7, &look), ["extrao…"]);
        assert_eq!(wrapped("one\n- two\n\nthree", 20, &look), ["one", "- two", "", "three"]);
        assert_eq!(wrapped("", 7, &look), Vec::<String>::new());
    }
}
