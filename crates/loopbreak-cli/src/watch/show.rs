//! What is shown: lines as they come, or on a terminal a list of the runs below them, drawn anew in place.
//!
//! The cursor stays where the list begins or ends, and nothing about the terminal is changed for longer than one write, so
//! there is nothing left to restore if the program is killed.

use std::fmt::Write as _;
use std::io::{self, Write};

use crate::error::UserError;
use crate::output;
use crate::output::printable;
use loopbreak_watch::notification::LoopNotification as Notice;

/// How many runs the list has at most, whatever the height of the terminal.
const ROWS: usize = 20;

/// How things are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    Lines,
    Json,
    List,
}

/// A line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) run: String,
    pub(super) steps: u64,
    pub(super) state: &'static str,
    pub(super) last: String,
}

/// Shows.
#[derive(Debug)]
pub(super) struct Show {
    pub(super) manner: Manner,
    /// How many lines the list has that stands there now.
    drawn: usize,
    rows: Vec<Row>,
    /// Nobody reads what is told any more.
    pub(super) is_alone: bool,
}

impl Show {
    pub(super) fn new(manner: Manner) -> Self {
        Show { manner, drawn: 0, rows: Vec::new(), is_alone: false }
    }

    /// Something was found.
    pub(super) fn notice(&mut self, notice: &Notice) -> Result<(), UserError> {
        let mut line = match self.manner {
            Manner::Json => serde_json::to_string(notice).unwrap_or_default(),
            Manner::Lines | Manner::List => printable(&notice.to_string()),
        };
        line.push('\n');
        let text = self.above(&line);
        self.is_alone |= !write(&text)?;
        Ok(())
    }

    /// Something that is no data.
    pub(super) fn say(&mut self, text: &str) {
        let cleared = self.above("");
        if !cleared.is_empty() {
            // A terminal that is gone is found out by the next line of data.
            let _ = write(&cleared);
        }
        anstream::eprintln!("{}", printable(text));
    }

    /// Rings.
    pub(super) fn ring() {
        let mut err = io::stderr();
        let _ = err.write_all(b"\x07").and_then(|()| err.flush());
    }

    /// Brings the list up to date.
    pub(super) fn list(&mut self, rows: Vec<Row>) -> Result<(), UserError> {
        if self.manner != Manner::List || (rows == self.rows && self.drawn > 0) {
            return Ok(());
        }
        self.rows = rows;
        let (width, height) = size();
        let mut text = self.above("");
        let list = drawn(&self.rows, width, height);
        self.drawn = list.lines().count();
        // Signs that are two columns wide must not make two lines of one, or more than the list would be taken away.
        _ = write!(text, "\x1b[?7l{list}\x1b[?7h");
        write(&text).map(|_| ())
    }

    /// Takes the list away.
    pub(super) fn finish(&mut self) {
        let text = self.above("");
        let _ = write(&text);
    }

    /// A text that takes the place of the list.
    fn above(&mut self, text: &str) -> String {
        match std::mem::take(&mut self.drawn) {
            0 => text.to_owned(),
            // Up to the first line of the list, and away with all from there on.
            lines => format!("\x1b[{lines}A\r\x1b[J{text}"),
        }
    }
}

fn drawn(rows: &[Row], width: usize, height: usize) -> String {
    let room = height.saturating_sub(3).clamp(1, ROWS);
    let mut out = String::new();
    // Wide enough for the id of a session, where there is room.
    let longest = rows.iter().take(room).map(|row| row.run.chars().count()).max().unwrap_or(0);
    let names = longest.clamp(8, (width / 2).clamp(8, 36));
    let mut line = |state: &str, steps: &str, run: &str, last: &str| {
        let mut run: String = run.chars().take(names + 1).collect();
        if run.chars().count() > names {
            run = run.chars().take(names - 1).chain(['…']).collect();
        }
        let text = printable(&format!("{state:<6} {steps:>7}  {run:<names$}  {last}"));
        let cut: String = text.chars().take(width.saturating_sub(1)).collect();
        _ = writeln!(out, "{}", cut.trim_end());
    };
    line("state", "steps", "run", "last");
    for row in rows.iter().take(room) {
        line(row.state, &row.steps.to_string(), &row.run, &row.last);
    }
    if rows.len() > room {
        _ = writeln!(out, "{:16}and {} more", "", rows.len() - room);
    }
    out
}

fn size() -> (usize, usize) {
    terminal_size::terminal_size_of(io::stdout())
        .map_or((80, 24), |(width, height)| (usize::from(width.0), usize::from(height.0)))
}

fn write(text: &str) -> Result<bool, UserError> {
    output::write_plain_to_reader(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_tells_of_each_run_how_it_stands() {
        let row =
            |run: &str, steps, state, last: &str| Row { run: run.into(), steps, state, last: last.into() };
        let rows = [
            row("ep-7", 40, "stop", "turn 40: stagnation: no progress for 40 turns"),
            row(
                "a-session-with-a-name-longer-than-its-column",
                1234,
                "warn",
                "turn 20: cycle: the same call",
            ),
            row("quiet", 3, "clear", ""),
            row("unseen", 9, "clear", ""),
        ];
        insta::assert_snapshot!(drawn(&rows, 80, 6), @"
        state    steps  run                                   last
        stop        40  ep-7                                  turn 40: stagnation: no p
        warn      1234  a-session-with-a-name-longer-than-i…  turn 20: cycle: the same
        clear        3  quiet
                        and 1 more
        ");
    }

    #[test]
    fn the_list_fits_the_terminal_and_takes_itself_away() {
        let row = Row { run: "a\u{1b}[2J".into(), steps: 7, state: "warn", last: "x".repeat(200) };
        let list = drawn(&vec![row; 30], 60, 10);
        assert_eq!(list.lines().count(), 1 + 7 + 1);
        assert!(list.lines().all(|line| line.chars().count() < 60) && !list.contains('\u{1b}'), "{list}");
        let mut show = Show { drawn: 3, ..Show::new(Manner::List) };
        assert_eq!(show.above("x\n"), "\x1b[3A\r\x1b[Jx\n");
        assert_eq!(show.above("y\n"), "y\n");
    }
}
