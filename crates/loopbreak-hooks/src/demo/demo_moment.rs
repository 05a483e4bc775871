//! A moment of the demonstration, as people read it.

use std::fmt::Write as _;
use std::time::Duration;

use anstyle::{AnsiColor, Style};

/// Width of the names before the texts.
const NAME_WIDTH: usize = 9;
/// Narrowest column of texts.
const LEAST_WIDTH: usize = 30;

/// A moment of the demonstration.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DemoMoment {
    /// The beginning.
    Start {
        /// Number of calls in the recording.
        calls: usize,
    },
    /// The user says something.
    User(String),
    /// The agent says something.
    Say(String),
    /// The agent makes a call, and gets its output.
    Call {
        /// Number of the turn, as the guard counts: its texts name turns.
        turn: usize,
        /// The call.
        call: String,
        /// The output.
        output: String,
    },
    /// The hook gives advice with a result.
    Advice(String),
    /// The hook refuses a call.
    Refusal {
        /// Number of the turn.
        turn: usize,
        /// The call.
        call: String,
        /// The text that the agent gets.
        text: String,
    },
    /// The recording ends where the call was refused.
    Saved {
        /// Number of calls that the recorded agent makes from here on.
        calls: usize,
        /// Number of those that are the refused call.
        same: usize,
        /// Number of tokens of these calls.
        tokens: u64,
    },
    /// The recording ended, and no call was refused.
    NotRefused,
    /// The next commands to type.
    Next,
}

impl DemoMoment {
    /// Returns the time to read it. About half a minute for all of them.
    pub fn pause(&self) -> Duration {
        Duration::from_millis(match self {
            DemoMoment::Start { .. } | DemoMoment::User(_) => 1_500,
            DemoMoment::Say(_) => 700,
            DemoMoment::Call { .. } => 900,
            DemoMoment::Advice(_) => 4_000,
            DemoMoment::Refusal { .. } => 5_000,
            DemoMoment::Saved { .. } | DemoMoment::NotRefused => 3_000,
            DemoMoment::Next => 0,
        })
    }

    /// Renders it in lines of at most `width` columns.
    pub fn render(&self, width: usize, unicode: bool) -> String {
        let dim = Style::new().dimmed();
        let (warning, refusal) = (AnsiColor::Yellow.on_default().bold(), AnsiColor::Red.on_default().bold());
        let named = |name: &str, style: Style, text: &str, text_style: Style| {
            let column = width.saturating_sub(NAME_WIDTH).max(LEAST_WIDTH);
            let mut lines = String::new();
            for (at, line) in wrap(&shown(text, unicode), column).iter().enumerate() {
                let name = if at == 0 { name } else { "" };
                _ = writeln!(lines, "{style}{name:<NAME_WIDTH$}{style:#}{text_style}{line}{text_style:#}");
            }
            lines
        };
        let plain = Style::new();
        match self {
            DemoMoment::Start { calls } => wrap(
                &format!(
                    "A coding agent that gets stuck: {calls} calls, invented for this demonstration. Each one goes through the \
                     hook that would guard Claude Code."
                ),
                width,
            )
            .join("\n")
                + "\n\n",
            DemoMoment::User(text) => named("user", dim, text, Style::new().bold()),
            DemoMoment::Say(text) => named("agent", dim, text, plain),
            DemoMoment::Call { turn, call, output } => {
                named(&format!("turn {turn}"), dim, call, AnsiColor::Cyan.on_default())
                    + &named("", dim, output, dim)
            }
            DemoMoment::Advice(text) => named("guard", warning, text, warning),
            DemoMoment::Refusal { turn, call, text } => {
                named(&format!("turn {turn}"), dim, call, AnsiColor::Cyan.on_default())
                    + &named("guard", refusal, text, refusal)
            }
            DemoMoment::Saved { calls, same, tokens } => {
                let of_them = if same == calls { "all".to_owned() } else { same.to_string() };
                let text = format!(
                    "The call is not made. In the recording, which nobody guarded, the agent makes {calls} more calls from \
                     here, {of_them} of them this one, and spends {} tokens on them.",
                    grouped(*tokens)
                );
                format!("\n{}\n", wrap(&text, width).join("\n"))
            }
            DemoMoment::NotRefused => {
                "\nThe recording ended. With these settings, no call was refused.\n".to_owned()
            }
            DemoMoment::Next => "\nNext:\n  loopbreak hook install claude-code    Guard your agent in this project\n  \
                                 loopbreak analyze                     Find loops in your past sessions\n"
                .to_owned(),
        }
    }
}

/// Returns a text with the signs of the engine's sentences in ASCII, if the terminal shows nothing else.
fn shown(text: &str, unicode: bool) -> String {
    if unicode {
        return text.to_owned();
    }
    let signs = [("→", "->"), ("‹", "<"), ("›", ">"), ("…", "..."), ("×", "x"), ("–", "-")];
    signs.iter().fold(text.to_owned(), |text, (sign, ascii)| text.replace(sign, ascii))
}

/// Breaks a text between words. A longer word keeps its line.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        if paragraph.chars().count() <= width {
            lines.push(paragraph.trim_end().to_owned());
            continue;
        }
        let indent: String = paragraph.chars().take_while(|letter| *letter == ' ').collect();
        let mut line = indent;
        let mut is_empty = true;
        for word in paragraph.split_whitespace() {
            if !is_empty && line.chars().count() + 1 + word.chars().count() > width {
                lines.push(std::mem::take(&mut line));
                is_empty = true;
            }
            if !is_empty {
                line.push(' ');
            }
            line += word;
            is_empty = false;
        }
        lines.push(line);
    }
    lines
}

/// Renders a number with a comma between groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_lines_broken_between_words() {
        assert_eq!([grouped(7), grouped(1234), grouped(1_234_567)], ["7", "1,234", "1,234,567"]);
        assert_eq!(wrap("  one two three\nfour", 9), ["  one two", "three", "four"]);
        assert_eq!(wrap("aaaaaaaaaaaa b", 5), ["aaaaaaaaaaaa", "b"]);
    }
}
