//! Reports a watch as text: one line per notification, or on a terminal also a list of the runs below them.
//!
//! The cursor stays where the list begins or ends, and the terminal is not changed for longer than one write, so nothing
//! must be restored if the program is killed.

use std::fmt::Write as _;
use std::io::{self, Write};

use loopbreak_analysis::VerdictName;
use loopbreak_report::outputs::VisibleJson;
use loopbreak_report::text::TextStyle;
use loopbreak_report::{printable, render_cost};

use crate::notification::LoopNotification;
use crate::watch_reporter::{OutputState, RunRow, WatchReporter};

/// Indentation of further lines of a notification: behind its intervention.
const LABEL_WIDTH: usize = 9;
/// Width of a terminal from which the list has all columns.
const WIDE: usize = 100;
/// The state of a run whose agent is paused.
const PAUSED: &str = "paused";
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
    style: TextStyle,
    out: O,
    err: E,
    /// Returns the columns and lines of the terminal.
    size: fn() -> (usize, usize),
    /// The number of lines of the list that is shown now.
    list_lines: usize,
    rows: Vec<RunRow>,
    footer: String,
    has_reader: bool,
    error: Option<io::Error>,
}

impl<O: Write, E: Write> TerminalReporter<O, E> {
    /// Creates a reporter. `size` returns the columns and lines of the terminal, for the list of runs.
    pub fn new(mode: ReportMode, out: O, err: E, size: fn() -> (usize, usize)) -> Self {
        TerminalReporter {
            mode,
            rings_bell: false,
            style: TextStyle::default(),
            out,
            err,
            size,
            list_lines: 0,
            rows: Vec::new(),
            footer: String::new(),
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

    /// Uses the colours of this style, and breaks long lines between words if it asks for it.
    #[must_use]
    pub fn with_style(mut self, style: TextStyle) -> Self {
        self.style = style;
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
            ReportMode::Lines | ReportMode::List => {
                let line = printable(&notification.to_string());
                let line = self.style.wrap_line(&line, (self.size)().0, LABEL_WIDTH);
                let verdict = if notification.needs_action() { VerdictName::Stop } else { VerdictName::Warn };
                paint_start(&line, notification.intervention.as_str(), self.style.verdict_style(verdict))
            }
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

    fn remove_runs(&mut self) {
        self.clear();
    }

    fn runs(&mut self, rows: Vec<RunRow>, footer: &str) {
        if rows == self.rows && footer == self.footer && self.list_lines > 0 {
            return;
        }
        self.rows = rows;
        footer.clone_into(&mut self.footer);
        let (columns, lines) = (self.size)();
        let mut text = self.replace_list("");
        let mut list = render_list(
            &self.rows,
            columns,
            lines.saturating_sub(usize::from(!footer.is_empty())),
            &self.style,
        );
        if !footer.is_empty() {
            let (dim, line) = (self.style.dim(), printable(footer));
            let line: String = line.chars().take(columns.saturating_sub(1)).collect();
            _ = writeln!(list, "{dim}{line}{dim:#}");
        }
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

/// Colours the beginning of a line.
fn paint_start(line: &str, start: &str, style: anstyle::Style) -> String {
    match line.strip_prefix(start) {
        Some(rest) => format!("{style}{start}{style:#}{rest}"),
        None => line.to_owned(),
    }
}

/// A column of the list: the heading, and the cell of a row.
type ListColumn = (&'static str, fn(&RunRow) -> Option<String>);

/// The optional columns of the list.
const COLUMNS: [ListColumn; 3] = [
    ("age", |row| row.age.clone()),
    ("cost", |row| row.cost_usd.map(render_cost)),
    ("rate", |row| row.steps_per_minute.map(|rate| format!("{rate:.1}/min"))),
];

fn render_list(rows: &[RunRow], width: usize, height: usize, style: &TextStyle) -> String {
    let room = height.saturating_sub(3).clamp(1, MAX_ROWS);
    // The selected run is always shown.
    let selected = rows.iter().position(|row| row.selected);
    let first = selected.map_or(0, |at| (at + 1).saturating_sub(room));
    let shown = &rows[first..rows.len().min(first + room)];
    let mark = |is_selected: bool| match (selected, is_selected) {
        (None, _) => "",
        (Some(_), true) => "> ",
        (Some(_), false) => "  ",
    };
    // Columns of which nothing is known are left out, and all of them on a narrow terminal.
    let is_wide = width >= WIDE;
    let columns: Vec<(&str, Vec<String>)> = COLUMNS
        .iter()
        .map(|(name, cell)| (*name, shown.iter().map(|row| cell(row).unwrap_or_default()).collect()))
        .filter(|(_, cells): &(&str, Vec<String>)| is_wide && cells.iter().any(|cell| !cell.is_empty()))
        .collect();
    let longest =
        |texts: &mut dyn Iterator<Item = &str>| texts.map(|it| it.chars().count()).max().unwrap_or(0);
    // Wide enough for a session id, if there is room.
    let names = longest(&mut shown.iter().map(|row| row.run.as_str())).clamp(8, (width / 2).clamp(8, 36));
    let project = |row: &RunRow| row.project.clone().unwrap_or_default();
    let projects = longest(&mut shown.iter().filter_map(|row| row.project.as_deref()));
    let projects = if is_wide && projects > 0 { projects.clamp(7, 20) } else { 0 };
    let line = |state: &str,
                steps: &str,
                cells: &mut dyn Iterator<Item = &str>,
                run: &str,
                project: &str,
                last: &str| {
        let mut text = format!("{state:<6} {steps:>7}");
        for (cell, (name, all)) in cells.zip(&columns) {
            let cell_width = longest(&mut all.iter().map(String::as_str)).max(name.len());
            _ = write!(text, "  {cell:>cell_width$}");
        }
        _ = write!(text, "  {:<names$}", cut(run, names));
        if projects > 0 {
            _ = write!(text, "  {:<projects$}", cut(project, projects));
        }
        _ = write!(text, "  {last}");
        let width = width.saturating_sub(1 + mark(false).len());
        let text: String = printable(&text).chars().take(width).collect();
        text.trim_end().to_owned()
    };
    let dim = style.dim();
    let mut headings = columns.iter().map(|(name, _)| *name);
    let mut out = format!(
        "{}{dim}{}{dim:#}\n",
        mark(false),
        line("state", "steps", &mut headings, "run", "project", "last")
    );
    for (index, row) in shown.iter().enumerate() {
        let mut cells = columns.iter().map(|(_, cells)| cells[index].as_str());
        let state = if row.paused { PAUSED } else { row.state };
        let text = line(state, &row.steps.to_string(), &mut cells, &row.run, &project(row), &row.last);
        let verdict = match state {
            "stop" => VerdictName::Stop,
            "warn" | PAUSED => VerdictName::Warn,
            _ => VerdictName::Clear,
        };
        let mark = mark(row.selected);
        _ = writeln!(out, "{mark}{}", paint_start(&text, state, style.verdict_style(verdict)));
    }
    if rows.len() > room {
        _ = writeln!(out, "{}{:16}and {} more", mark(false), "", rows.len() - shown.len());
    }
    out
}

/// Cuts a text to a number of characters.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_shows_the_state_of_each_run() {
        let row = |run: &str, steps, state, last: &str| RunRow {
            run: run.into(),
            steps,
            state,
            last: last.into(),
            ..RunRow::default()
        };
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
        insta::assert_snapshot!(render_list(&rows, 80, 6, &TextStyle::default()), @"
        state    steps  run                                   last
        stop        40  ep-7                                  turn 40: stagnation: no p
        warn      1234  a-session-with-a-name-longer-than-i…  turn 20: cycle: the same
        clear        3  quiet
                        and 1 more
        ");
    }

    #[test]
    fn a_wide_list_has_age_cost_rate_and_project_where_they_are_known() {
        let known = RunRow {
            run: "ep-7".into(),
            steps: 40,
            state: "stop",
            last: "turn 40: cycle: the same call".into(),
            age: Some("12 s".into()),
            cost_usd: Some(0.4),
            steps_per_minute: Some(3.25),
            project: Some("my-project".into()),
            ..RunRow::default()
        };
        let unknown = RunRow { run: "quiet".into(), steps: 3, state: "clear", ..RunRow::default() };
        insta::assert_snapshot!(render_list(&[known.clone(), unknown.clone()], 110, 20, &TextStyle::default()), @"
        state    steps   age   cost     rate  run       project     last
        stop        40  12 s  $0.40  3.2/min  ep-7      my-project  turn 40: cycle: the same call
        clear        3                        quiet
        ");
        let narrow = render_list(&[known], 80, 20, &TextStyle::default());
        assert!(!narrow.contains("my-project"), "{narrow}");
        let coloured = render_list(&[unknown], 80, 20, &TextStyle { colour: true, ..TextStyle::default() });
        assert!(coloured.contains("\x1b[1m\x1b[32mclear\x1b[0m"), "{coloured:?}");
    }

    #[test]
    fn the_selected_run_is_marked_and_always_shown() {
        let row = |run: &str| RunRow { run: run.into(), steps: 1, state: "warn", ..RunRow::default() };
        let mut rows: Vec<RunRow> = ["a", "b", "c", "d"].map(row).to_vec();
        rows[3].selected = true;
        rows[2].paused = true;
        insta::assert_snapshot!(render_list(&rows, 60, 5, &TextStyle::default()), @"
          state    steps  run       last
          paused       1  c
        > warn         1  d
                          and 2 more
        ");
    }

    #[test]
    fn the_list_fits_the_terminal_and_is_replaced() {
        let row = RunRow {
            run: "a\u{1b}[2J".into(),
            steps: 7,
            state: "warn",
            last: "x".repeat(200),
            ..RunRow::default()
        };
        let list = render_list(&vec![row; 30], 60, 10, &TextStyle::default());
        assert_eq!(list.lines().count(), 1 + 7 + 1);
        assert!(list.lines().all(|line| line.chars().count() < 60) && !list.contains('\u{1b}'), "{list}");
        let mut reporter = TerminalReporter::new(ReportMode::List, io::sink(), io::sink(), || (80, 24));
        reporter.list_lines = 3;
        assert_eq!(reporter.replace_list("x\n"), "\x1b[3A\r\x1b[Jx\n");
        assert_eq!(reporter.replace_list("y\n"), "y\n");
    }
}
