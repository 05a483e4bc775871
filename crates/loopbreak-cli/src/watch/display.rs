//! Shows a watch: one line per notification, or on a terminal a list of the runs below them.
//!
//! The cursor stays where the list begins or ends, and the terminal is not changed for longer than one write, so nothing
//! must be restored if the program is killed.

use std::fmt::Write as _;
use std::io::{self, Write};

use loopbreak_watch::notification::LoopNotification;
use loopbreak_watch::{OutputState, RunRow, WatchReporter};

use crate::error::UserError;
use crate::output;
use crate::output::printable;

/// Upper bound of runs in the list.
const MAX_ROWS: usize = 20;

/// The form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DisplayMode {
    Lines,
    Json,
    List,
}

/// Writes to standard output and standard error.
#[derive(Debug)]
pub(super) struct WatchDisplay {
    mode: DisplayMode,
    bell: bool,
    /// The number of lines of the list that is shown now.
    list_lines: usize,
    rows: Vec<RunRow>,
    has_reader: bool,
    error: Option<UserError>,
}

impl WatchDisplay {
    pub(super) fn new(mode: DisplayMode, bell: bool) -> Self {
        WatchDisplay { mode, bell, list_lines: 0, rows: Vec::new(), has_reader: true, error: None }
    }

    /// Removes the list.
    pub(super) fn clear(&mut self) {
        let text = self.replace_list("");
        let _ = write(&text);
    }

    /// Removes and returns the first error of the output.
    pub(super) fn take_error(&mut self) -> Option<UserError> {
        self.error.take()
    }

    /// Returns a text that replaces the list on the terminal.
    fn replace_list(&mut self, text: &str) -> String {
        match std::mem::take(&mut self.list_lines) {
            0 => text.to_owned(),
            // Moves to the first line of the list and clears everything from there.
            lines => format!("\x1b[{lines}A\r\x1b[J{text}"),
        }
    }
}

impl WatchReporter for WatchDisplay {
    fn notification(&mut self, notification: &LoopNotification) {
        let mut line = match self.mode {
            DisplayMode::Json => serde_json::to_string(notification).unwrap_or_default(),
            DisplayMode::Lines | DisplayMode::List => printable(&notification.to_string()),
        };
        line.push('\n');
        let text = self.replace_list(&line);
        match write(&text) {
            Ok(is_read) => self.has_reader &= is_read,
            Err(error) => _ = self.error.get_or_insert(error),
        }
        if self.bell && notification.needs_action() {
            let mut err = io::stderr();
            let _ = err.write_all(b"\x07").and_then(|()| err.flush());
        }
    }

    fn message(&mut self, text: &str) {
        let cleared = self.replace_list("");
        if !cleared.is_empty() {
            // A terminal that is gone is noticed at the next notification.
            let _ = write(&cleared);
        }
        anstream::eprintln!("{}", printable(text));
    }

    fn wants_runs(&self) -> bool {
        self.mode == DisplayMode::List
    }

    fn runs(&mut self, rows: Vec<RunRow>) {
        if rows == self.rows && self.list_lines > 0 {
            return;
        }
        self.rows = rows;
        let (width, height) = size();
        let mut text = self.replace_list("");
        let list = render_list(&self.rows, width, height);
        self.list_lines = list.lines().count();
        // Characters that are two columns wide must not wrap: the list would take more lines than are counted.
        _ = write!(text, "\x1b[?7l{list}\x1b[?7h");
        if let Err(error) = write(&text) {
            self.error.get_or_insert(error);
        }
    }

    fn output_state(&self) -> OutputState {
        match (&self.error, self.has_reader) {
            (Some(_), _) => OutputState::Failed,
            (None, false) => OutputState::NoReader,
            (None, true) => OutputState::Open,
        }
    }
}

fn render_list(rows: &[RunRow], width: usize, height: usize) -> String {
    let room = height.saturating_sub(3).clamp(1, MAX_ROWS);
    let mut out = String::new();
    // Wide enough for a session id, if there is room.
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
    fn the_list_shows_the_state_of_each_run() {
        let row =
            |run: &str, steps, state, last: &str| RunRow { run: run.into(), steps, state, last: last.into() };
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
        insta::assert_snapshot!(render_list(&rows, 80, 6), @"
        state    steps  run                                   last
        stop        40  ep-7                                  turn 40: stagnation: no p
        warn      1234  a-session-with-a-name-longer-than-i…  turn 20: cycle: the same
        clear        3  quiet
                        and 1 more
        ");
    }

    #[test]
    fn the_list_fits_the_terminal_and_is_replaced() {
        let row = RunRow { run: "a\u{1b}[2J".into(), steps: 7, state: "warn", last: "x".repeat(200) };
        let list = render_list(&vec![row; 30], 60, 10);
        assert_eq!(list.lines().count(), 1 + 7 + 1);
        assert!(list.lines().all(|line| line.chars().count() < 60) && !list.contains('\u{1b}'), "{list}");
        let mut display = WatchDisplay { list_lines: 3, ..WatchDisplay::new(DisplayMode::List, false) };
        assert_eq!(display.replace_list("x\n"), "\x1b[3A\r\x1b[Jx\n");
        assert_eq!(display.replace_list("y\n"), "y\n");
    }
}
