//! The output of a watch, implemented by the program around it.

use std::path::PathBuf;

use crate::notification::LoopNotification;

/// The state of the output of a watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutputState {
    /// The output is read.
    Open,
    /// The reader is gone. The watch continues only if there are notifiers.
    NoReader,
    /// The output cannot be written. The watch ends.
    Failed,
}

/// One run in a list of runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunRow {
    /// The name of the run.
    pub run: String,
    /// The number of steps.
    pub steps: u64,
    /// The verdict: `clear`, `warn` or `stop`.
    pub state: &'static str,
    /// The last finding.
    pub last: String,
    /// Time since the last step, if the steps have times.
    pub age: Option<String>,
    /// Cost so far in US dollars, if the log has it.
    pub cost_usd: Option<f64>,
    /// Steps per minute from the first to the last step, if they have times.
    pub steps_per_minute: Option<f64>,
    /// The folder of the log: agents keep the logs of a project in one.
    pub project: Option<String>,
    /// Identifies the run within the watch: two logs may both have a run with the same name.
    pub id: String,
    /// The log that has its last step.
    pub log: PathBuf,
    /// The user has selected the run.
    pub selected: bool,
    /// The agent is paused.
    pub paused: bool,
}

/// Receives what a watch reports.
pub trait WatchReporter {
    /// Reports an intervention.
    fn notification(&mut self, notification: &LoopNotification);
    /// Reports a warning or a remark for people.
    fn message(&mut self, text: &str);
    /// Returns whether [`WatchReporter::runs`] should be called. False by default.
    fn wants_runs(&self) -> bool {
        false
    }
    /// Shows the list of runs, the worst first, and a line below it if it is not empty.
    fn runs(&mut self, _rows: Vec<RunRow>, _footer: &str) {}
    /// Removes the list of runs from the terminal.
    fn remove_runs(&mut self) {}
    /// Returns the state of the output.
    fn output_state(&self) -> OutputState {
        OutputState::Open
    }
}
