//! The report as a page for a browser.

use std::collections::HashMap;
use std::path::Path;

use loopbreak::{Step, Verdict};
use loopbreak_report::Report;
use loopbreak_report::html::{self, Recording};
use loopbreak_trace::Input;

use super::log::{Events, Manner, Outcome, analyze_with};
use crate::error::UserError;
use crate::output;

/// Reads a log and records its runs.
pub(super) fn analyze(
    input: &Input,
    manner: Manner<'_>,
    events: Option<&mut Events<'_>>,
    watch: impl Fn(u64) + Clone + Send + 'static,
) -> Outcome {
    let mut recordings: HashMap<String, Recording> = HashMap::new();
    let mut also = |run: &str, step: &Step<'_>, verdict: &Verdict| {
        if !recordings.contains_key(run) {
            recordings.insert(run.to_owned(), Recording::default());
        }
        if let Some(recording) = recordings.get_mut(run) {
            recording.add(step, verdict);
        }
    };
    let mut outcome = analyze_with(input, manner, events, &mut also, watch);
    let of_run = |run: &str| recordings.remove(run).unwrap_or_default();
    outcome.recordings = outcome.runs.names().map(of_run).collect();
    outcome
}

/// Takes the recordings out, in the order of the runs.
pub(super) fn recordings(outcomes: &mut [Outcome]) -> Vec<Recording> {
    outcomes.iter_mut().flat_map(|outcome| std::mem::take(&mut outcome.recordings)).collect()
}

/// Writes the page.
pub(super) fn save(path: &Path, report: &Report, mut recordings: Vec<Recording>) -> Result<(), UserError> {
    let recording = |place: usize| Ok(recordings.get_mut(place).map(std::mem::take).unwrap_or_default());
    output::fill_file(path, |out| out.write_all(html::page(report, recording)?.as_bytes()))
}
