//! Reports a watch as text: one line per notification, or on a terminal also a list of the runs below them.
//!
//! The cursor stays where the list begins or ends, and the terminal is not changed for longer than one write, so nothing
//! must be restored if the program is killed.

use std::fmt::Write as _;
use std::io::{self, Write};

use loopbreak_report::outputs::VisibleJson;
use loopbreak_report::printable;

use crate::notification::LoopNotification;
use crate::watch_reporter::{OutputState, RunRow, WatchReporter};

/// Upper bound of runs in the list.
const MAX_ROWS: usize = 20;

/// The form of the output of a [`TerminalReporter`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReportMode {
    /// One line of text per notification.
    Lines,
    /// One JSON object per notification, each on its own line.
    Json,
    /// One line of text per notification, and a list of the runs that is redrawn below them.
    List,
}

/// Writes notifications to one output, and messages for people to another.
#[derive(Debug)]
pub struct TerminalReporter<O, E> {
    mode: ReportMode,
    rings_bell: bool,
    out: O,
    err: E,
    /// Returns the columns and lines of the terminal.
    size: fn() -> (usize, usize),
    /// The number of lines of the list that is shown now.
    list_lines: usize,
    rows: Vec<RunRow>,
    has_reader: bool,
    error: Option<io::Error>,
}

impl<O: Write, E: Write> TerminalReporter<O, E> {
    /// Creates a reporter. `size` returns the columns and lines of the terminal, for the list of runs.
    pub fn new(mode: ReportMode, out: O, err: E, size: fn() -> (usize, usize)) -> Self {
        TerminalReporter {
            mode,
            rings_bell: false,
            out,
            err,
            size,
            list_lines: 0,
            rows: Vec::new(),
            has_reader: true,
            error: None,
        }
    }

    /// Rings the terminal bell when a run should be stopped or needs a human.
    #[must_use]
    pub fn with_bell(mut self, rings_bell: bool) -> Self {
        self.rings_bell = rings_bell;
        self
    }

    /// Removes the list of runs from the terminal.
    pub fn clear(&mut self) {
        let text = self.replace_list("");
        // A terminal that is gone needs no clearing.
        let _ = self.write(&text);
    }

    /// Removes and returns the first error of the output. A closed pipe is not an error.
    pub fn take_error(&mut self) -> Option<io::Error> {
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

    fn write(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush())
    }
}

impl<O: Write, E: Write> WatchReporter for TerminalReporter<O, E> {
    fn notification(&mut self, notification: &LoopNotification) {
        let mut line = match self.mode {
            ReportMode::Json => {
                let mut json = Vec::new();
                _ = serde_json::to_writer(VisibleJson::escaped(&mut json), notification);
                String::from_utf8_lossy(&json).into_owned()
            }
            ReportMode::Lines | ReportMode::List => printable(&notification.to_string()),
        };
        line.push('\n');
        let text = self.replace_list(&line);
        match self.write(&text) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.has_reader = false,
            Err(error) => _ = self.error.get_or_insert(error),
        }
        if self.rings_bell && notification.needs_action() {
            // The bell is a convenience: the notification itself was written.
            let _ = self.err.write_all(b"\x07").and_then(|()| self.err.flush());
        }
    }

    fn message(&mut self, text: &str) {
        let cleared = self.replace_list("");
        if !cleared.is_empty() {
            // A terminal that is gone is noticed at the next notification.
            let _ = self.write(&cleared);
        }
        // Without standard error, messages have no reader.
        let _ = writeln!(self.err, "{}", printable(text));
    }

    fn wants_runs(&self) -> bool {
        self.mode == ReportMode::List
    }

    fn runs(&mut self, rows: Vec<RunRow>) {
        if rows == self.rows && self.list_lines > 0 {
            return;
        }
        self.rows = rows;
        let (columns, lines) = (self.size)();
        let mut text = self.replace_list("");
        let list = render_list(&self.rows, columns, lines);
        self.list_lines = list.lines().count();
        // Characters that are two columns wide must not wrap: the list would take more lines than are counted.
        _ = write!(text, "\x1b[?7l{list}\x1b[?7h");
        match self.write(&text) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => _ = self.error.get_or_insert(error),
            _ => {}
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
        let mut reporter = TerminalReporter::new(ReportMode::List, io::sink(), io::sink(), || (80, 24));
        reporter.list_lines = 3;
        assert_eq!(reporter.replace_list("x\n"), "\x1b[3A\r\x1b[Jx\n");
        assert_eq!(reporter.replace_list("y\n"), "y\n");
    }
}
