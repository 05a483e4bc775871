//! Carries out what the user asks for with keys.

use std::time::{Duration, Instant};

use super::terminal_keys::TerminalKeys;
use super::watch_key::WatchKey;
use crate::report_opener::ReportOpener;
use crate::run_actions::RunActions;
use crate::watch_reporter::{RunRow, WatchReporter};

/// The keys, for the line below the list.
const HELP: &str = "up/down select  o report  a allow  p pause  r resume  s stop  q quit";
/// The interval between two looks at the pauses in the store.
const PAUSES_INTERVAL: Duration = Duration::from_secs(2);

/// Reads keys, keeps the selection, and carries out what the user asks for.
#[derive(Debug)]
pub struct KeyControl {
    keys: TerminalKeys,
    actions: RunActions,
    report: ReportOpener,
    /// The selected run. The first one, until the user selects another.
    selected: Option<String>,
    /// The run that the user is asked about: whether it should be stopped.
    question: Option<(String, String)>,
    /// The names of the runs that are paused.
    paused: Vec<String>,
    paused_at: Option<Instant>,
}

impl KeyControl {
    /// Creates the control of a watch.
    pub fn new(keys: TerminalKeys, actions: RunActions, report: ReportOpener) -> Self {
        KeyControl {
            keys,
            actions,
            report,
            selected: None,
            question: None,
            paused: Vec::new(),
            paused_at: None,
        }
    }

    /// Marks the selected run and the paused ones in a list.
    pub(crate) fn mark(&mut self, rows: &mut [RunRow]) {
        if self.paused_at.is_none_or(|at| at.elapsed() >= PAUSES_INTERVAL) {
            self.paused = self.actions.paused_names();
            self.paused_at = Some(Instant::now());
        }
        for row in rows.iter_mut() {
            row.paused = self.paused.contains(&row.run);
        }
        let at = selected_index(self.selected.as_deref(), rows);
        if let Some(row) = rows.get_mut(at) {
            row.selected = true;
        }
    }

    /// Returns the line below the list: the keys, or a question.
    pub(crate) fn footer(&self) -> String {
        self.question.as_ref().map_or_else(|| HELP.to_owned(), |(_, text)| text.clone())
    }

    /// Handles the keys since the last call. Returns `None` if nothing was pressed, else whether the watch continues.
    pub(crate) fn handle_keys(&mut self, rows: &[RunRow], reporter: &mut dyn WatchReporter) -> Option<bool> {
        let keys = self.keys.read();
        if keys.is_empty() {
            return None;
        }
        for key in keys {
            if !self.press(key, rows, reporter) {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Handles a key. Returns false if the watch should end.
    fn press(&mut self, key: WatchKey, rows: &[RunRow], reporter: &mut dyn WatchReporter) -> bool {
        if let Some((run, _)) = self.question.take() {
            let text = if key == WatchKey::Yes { self.actions.stop(&run) } else { "not stopped".to_owned() };
            reporter.message(&text);
            return true;
        }
        let at = selected_index(self.selected.as_deref(), rows);
        let row = rows.get(at);
        match key {
            WatchKey::Quit => return false,
            WatchKey::Suspend => {
                reporter.remove_runs();
                self.keys.suspend();
            }
            WatchKey::Up => self.selected = rows.get(at.saturating_sub(1)).map(|row| row.id.clone()),
            WatchKey::Down => self.selected = rows.get(at + 1).or(row).map(|row| row.id.clone()),
            WatchKey::Report | WatchKey::Allow | WatchKey::Pause | WatchKey::Resume | WatchKey::Stop => {
                match row {
                    Some(row) => self.act(key, row, reporter),
                    None => reporter.message("there is no run yet"),
                }
            }
            WatchKey::Yes | WatchKey::Other => {}
        }
        true
    }

    fn act(&mut self, key: WatchKey, row: &RunRow, reporter: &mut dyn WatchReporter) {
        // What is selected stays selected, even if the list is sorted in another way meanwhile.
        self.selected = Some(row.id.clone());
        let text = match key {
            WatchKey::Report => self.report.open(row),
            WatchKey::Allow => self.actions.allow_last(&row.run),
            WatchKey::Pause => self.actions.pause(&row.run, ""),
            WatchKey::Resume => self.actions.resume(&row.run),
            WatchKey::Stop => match self.actions.describe_stop(&row.run) {
                Ok(question) => {
                    self.question = Some((row.run.clone(), question));
                    return;
                }
                Err(why) => why,
            },
            _ => return,
        };
        self.paused_at = None;
        reporter.message(&text);
    }
}

/// Returns the index of the selected run; the first one if it is gone.
fn selected_index(selected: Option<&str>, rows: &[RunRow]) -> usize {
    selected.and_then(|id| rows.iter().position(|row| row.id == id)).unwrap_or(0)
}
