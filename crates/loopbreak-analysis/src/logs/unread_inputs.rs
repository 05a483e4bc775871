//! Reports the inputs that could not be read, after all logs were read.

use std::fmt::Display;
use std::path::Path;

use loopbreak_trace::{InputSet, LogInput, OpenError};

use super::input_hint::input_hint;
use super::log_analysis::{LineNote, LogReadSummary};
use crate::report::InputStatistics;

/// Receives diagnostics about inputs.
pub trait DiagnosticSink {
    /// Reports an input that could not be read, with a hint for the user.
    fn error(&mut self, name: &str, message: &dyn Display, hint: Option<&str>);
    /// Reports an unusual input.
    fn warning(&mut self, name: &str, message: &dyn Display);
    /// Reports a file in a folder that is not a log.
    fn ignored(&mut self, name: &str, message: &dyn Display);
    /// Reports notes about lines of an input, and the number of notes that were not kept.
    fn line_notes(&mut self, name: &str, notes: &[LineNote], unlisted: u64);
}

/// Statistics of the inputs, and whether something failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InputSummary {
    /// An input that was named could not be read.
    pub failed: bool,
    /// Statistics of the inputs.
    pub reading: InputStatistics,
}

/// Reports the inputs that could not be read, and sums up the others. The logs are in the order of the
/// inputs.
pub fn report_unread_inputs<'l>(
    inputs: &InputSet,
    logs: impl IntoIterator<Item = &'l LogReadSummary>,
    sink: &mut dyn DiagnosticSink,
) -> InputSummary {
    let logs: Vec<&LogReadSummary> = logs.into_iter().collect();
    let mut summary = InputSummary::default();
    for trouble in &inputs.unreadable {
        sink.error(&trouble.name, &trouble.error, input_hint(&trouble.name, &trouble.error).as_deref());
        summary.failed = true;
    }
    for folder in inputs.folders.iter().filter(|folder| folder.skipped_links > 0) {
        let what = match folder.skipped_links {
            1 => "1 link leads out of the folder and was not followed; name it to read it".to_owned(),
            links => {
                format!("{links} links lead out of the folder and were not followed; name them to read them")
            }
        };
        sink.warning(&folder.name, &what);
    }
    for (input, log) in inputs.inputs.iter().zip(&logs) {
        summary.reading.bytes += log.bytes;
        summary.reading.skipped_lines += log.skipped_lines;
        summary.reading.unread_items += log.unread_items;
        summary.failed |= report_log(input, log, sink, &mut summary.reading);
    }
    summary.failed |= report_empty_folders(inputs, &logs, sink);
    summary
}

/// Reports on one log. Returns true if it failed.
fn report_log(
    input: &LogInput,
    log: &LogReadSummary,
    sink: &mut dyn DiagnosticSink,
    reading: &mut InputStatistics,
) -> bool {
    let name = input.name();
    let mut failed = false;
    match &log.refusal {
        None => {}
        Some(refusal) if refusal.is_empty_log() && input.is_named() => sink.warning(&name, refusal),
        Some(refusal) if refusal.is_not_a_log() && !input.is_named() => {
            sink.ignored(&name, refusal);
            reading.ignored_files += 1;
            // The lines of a file that is not a log are not counted as skipped.
            reading.skipped_lines -= log.skipped_lines;
            reading.unread_items -= log.unread_items;
            return false;
        }
        Some(refusal) => {
            sink.error(&name, refusal, input_hint(&name, refusal).as_deref());
            failed = true;
        }
    }
    sink.line_notes(&name, &log.notes, log.unlisted_notes);
    failed
}

/// Reports folders without any log. Returns true if there is one.
fn report_empty_folders(inputs: &InputSet, logs: &[&LogReadSummary], sink: &mut dyn DiagnosticSink) -> bool {
    let mut any = false;
    for (index, folder) in inputs.folders.iter().enumerate() {
        let mut inside = inputs.inputs.iter().zip(logs).filter(|(input, _)| input.folder() == Some(index));
        // Unreadable inputs have been reported already.
        let is_log = |log: &LogReadSummary| !log.refusal.as_ref().is_some_and(OpenError::is_not_a_log);
        let unreadable =
            inputs.unreadable.iter().any(|trouble| Path::new(&trouble.name).starts_with(&folder.name));
        if folder.shared || unreadable || inside.any(|(_, log)| is_log(log)) {
            continue;
        }
        let what = match folder.files {
            0 => "no log files found (the folder is empty)".to_owned(),
            1 => "no log files found (1 file checked)".to_owned(),
            files => format!("no log files found ({files} files checked)"),
        };
        let hint = (folder.files > 0).then_some("use -v to see why each file is not a log");
        sink.error(&folder.name, &what, hint);
        any = true;
    }
    any
}
