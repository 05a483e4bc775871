//! Writes events and the steps of a run while logs are read.

use std::fs::File;
use std::io::BufWriter;
use std::sync::{Mutex, PoisonError};

use loopbreak::{Step, Verdict};
use loopbreak_analysis::{AnalyzedLogs, EventWriter, StepObserver};
use loopbreak_report::explain::RunExplanation;
use loopbreak_report::text::TextStyle;

use crate::error::UserError;

/// The file that events are written to. Logs are then read one after the other, so the lock is never
/// contended.
pub(super) type EventFile = Mutex<EventWriter<BufWriter<File>>>;

/// Observes one log.
pub(super) struct AnalyzeObserver<'o> {
    events: Option<&'o EventFile>,
    /// Style of the explanation, if one was requested.
    style: Option<(TextStyle, bool)>,
    /// Explanation of the first run of the log.
    explanation: Option<(String, RunExplanation)>,
}

impl<'o> AnalyzeObserver<'o> {
    pub(super) fn new(events: Option<&'o EventFile>, style: Option<(TextStyle, bool)>) -> Self {
        AnalyzeObserver { events, style, explanation: None }
    }

    /// Drops the reference to the event file.
    pub(super) fn without_events<'n>(self) -> AnalyzeObserver<'n> {
        AnalyzeObserver { events: None, style: self.style, explanation: self.explanation }
    }
}

impl StepObserver for AnalyzeObserver<'_> {
    fn observe(&mut self, run: &str, step: &Step<'_>, verdict: &Verdict) {
        if let Some((style, full)) = self.style {
            let new = || (run.to_owned(), RunExplanation::new(style, full));
            let (name, explanation) = self.explanation.get_or_insert_with(new);
            if name == run {
                explanation.add(step, verdict);
            }
        }
        if let Some(events) = self.events {
            events.lock().unwrap_or_else(PoisonError::into_inner).write(&verdict.events);
        }
    }
}

/// Returns the explanation of the only run, or an error if there are more.
pub(super) fn render_explanation(
    logs: &AnalyzedLogs,
    outputs: Vec<AnalyzeObserver<'_>>,
) -> Result<Option<String>, UserError> {
    let runs: Vec<&str> = logs.run_names().collect();
    if runs.len() > 1 {
        let hint = if runs.iter().min() == runs.iter().max() {
            "several files have a run with that id: give one file".to_owned()
        } else {
            format!("select one with --run ID: {}", logs.describe_runs())
        };
        return Err(
            UserError::usage(format!("--explain shows one run, but there are {}", runs.len())).hint(hint)
        );
    }
    let with_runs = logs.logs.iter().zip(outputs).filter(|(log, _)| !log.runs.is_empty());
    Ok(with_runs.filter_map(|(_, output)| output.explanation).map(|(_, run)| run.finish()).next())
}
