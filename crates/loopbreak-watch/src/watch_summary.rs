//! Totals of a watch, as text for people.

use loopbreak_report::plural;

/// Totals of a watch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WatchSummary {
    /// Files that are logs.
    pub logs: u64,
    /// Runs that are known now.
    pub runs: u64,
    /// Steps of these runs.
    pub steps: u64,
    /// Runs that should only be warned.
    pub warned: u64,
    /// Runs that should be stopped.
    pub stopped: u64,
    /// Notifications that were reported.
    pub notifications: u64,
    /// Lines that were skipped.
    pub skipped_lines: u64,
    /// Files that could not be read at the last check.
    pub unread_logs: u64,
}

impl WatchSummary {
    /// Renders what is known after the existing logs were read, on one line.
    pub fn render_start(&self, from_start: bool) -> String {
        let already = if from_start { "" } else { "already " };
        format!(
            "watching {} with {}: {already}{} to stop, {} warned{}",
            plural(self.logs, "log"),
            plural(self.runs, "run"),
            self.stopped,
            self.warned,
            self.render_unread()
        )
    }

    fn render_unread(&self) -> String {
        match self.unread_logs {
            0 => String::new(),
            logs => format!("; {} could not be read", plural(logs, "file")),
        }
    }

    /// Renders the totals at the end of a watch, on one line.
    pub fn render_end(&self) -> String {
        let skipped = match self.skipped_lines {
            0 => String::new(),
            lines => format!(", {} skipped", plural(lines, "line")),
        };
        format!(
            "watched {}, {}: {} to stop, {} warned; {}{skipped}{}",
            plural(self.runs, "run"),
            plural(self.steps, "step"),
            self.stopped,
            self.warned,
            plural(self.notifications, "notification"),
            self.render_unread()
        )
    }
}
