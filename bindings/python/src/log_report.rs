//! Reports on logs.

use std::fmt::Display;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use loopbreak::Config;
use loopbreak_analysis::{AnalyzeOptions, DiagnosticSink, LineNote, LogAnalyzer};
use loopbreak_report::outputs::VisibleJson;
use loopbreak_trace::LogFormat;
use pyo3::prelude::*;

use crate::interruptible_work::work;
use crate::log_inputs::{find_logs, read_format, read_paths};
use crate::python_config::read_optional_config;
use crate::python_error::ErrorClass;

/// Number of notes about lines of a log that are kept.
const NOTES: usize = 5;

/// Analyzes logs. Returns the report as JSON, as the command prints it, and the problems of the inputs.
#[pyfunction]
#[pyo3(signature = (paths, config=None, run=None, format=None))]
pub(crate) fn analyze_logs(
    py: Python<'_>,
    paths: &Bound<'_, PyAny>,
    config: Option<&Bound<'_, PyAny>>,
    run: Option<String>,
    format: Option<&str>,
) -> PyResult<(String, Vec<String>)> {
    let (paths, config, format) = (read_paths(paths)?, read_optional_config(config)?, read_format(format)?);
    let cancelled = Arc::new(AtomicBool::new(false));
    let is_cancelled = cancelled.clone();
    let done = work(py, move || analyze(paths, config, run, format, is_cancelled));
    if done.is_err() {
        cancelled.store(true, Ordering::Relaxed);
    }
    done?.map_err(|error| ErrorClass::Log.raise(py, error))
}

fn analyze(
    paths: Vec<std::path::PathBuf>,
    config: Config,
    run: Option<String>,
    format: Option<LogFormat>,
    cancelled: Arc<AtomicBool>,
) -> Result<(String, Vec<String>), String> {
    let only_run = run.clone();
    let options = AnalyzeOptions { config, only_run, format, notes_per_log: NOTES, record_steps: false };
    let analyzer = LogAnalyzer::new(options).on_progress(move |_| {
        if cancelled.load(Ordering::Relaxed) {
            // Nobody waits for the result any more. This ends the threads without a message.
            std::panic::resume_unwind(Box::new("cancelled"));
        }
    });
    // The threads of a global pool would be missing after a fork.
    let pool = rayon::ThreadPoolBuilder::new().build().map_err(|error| error.to_string())?;
    let logs = pool.install(|| analyzer.run_inputs(find_logs(paths)));
    let mut problems = InputProblems::default();
    let summary = logs.report_unread_inputs(&mut problems);
    if logs.has_no_runs() {
        if let Some(run) = run {
            return Err(format!("run {run:?} not found"));
        }
        if summary.failed {
            return Err(problems.0.join("\n"));
        }
    }
    let report = logs.into_report(&summary.reading).map_err(|error| error.to_string())?;
    let mut json = Vec::new();
    let mut out = VisibleJson::escaped(&mut json);
    report.write_json(&mut out, false).and_then(|()| out.flush()).map_err(|error| error.to_string())?;
    drop(out);
    let mut json = String::from_utf8(json).map_err(|error| error.to_string())?;
    json.truncate(json.trim_end().len());
    Ok((json, problems.0))
}

/// The problems of inputs, one line each.
#[derive(Debug, Default)]
struct InputProblems(Vec<String>);

impl DiagnosticSink for InputProblems {
    fn error(&mut self, name: &str, message: &dyn Display, hint: Option<&str>) {
        let hint = hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
        self.0.push(format!("{name}: {message}{hint}"));
    }

    fn warning(&mut self, name: &str, message: &dyn Display) {
        self.0.push(format!("{name}: {message}"));
    }

    fn ignored(&mut self, _: &str, _: &dyn Display) {}

    fn line_notes(&mut self, name: &str, notes: &[LineNote], unlisted: u64) {
        self.0.extend(notes.iter().map(|note| format!("{name}:{}: {}", note.line, note.text)));
        if unlisted > 0 {
            self.0.push(format!("{name}: {unlisted} more notes about lines"));
        }
    }
}
