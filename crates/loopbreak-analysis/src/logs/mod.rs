//! Analysis of whole logs, in parallel.
//!
//! [`LogAnalyzer`] decides which logs are read in parallel and which get all threads. A `RunDispatcher` reads one log,
//! on one thread or block by block on all of them (`run_batch`). `OpenRuns` holds the runs of the log and moves idle
//! ones to a `SpillFile`. The result is [`FinishedRuns`]. `stored_log` encodes the analysis of a log for the cache.

mod analyzed_logs;
mod convert_log;
mod encoded_runs;
mod event_writer;
mod explain_log;
mod finished_runs;
mod input_hint;
mod log_analysis;
mod log_analyzer;
mod open_runs;
mod run_batch;
mod run_dispatcher;
mod run_match;
mod run_names;
mod run_separator;
mod spill_file;
mod step_observer;
mod stored_log;
mod unread_inputs;

pub use analyzed_logs::AnalyzedLogs;
pub use convert_log::convert_log;
pub use event_writer::EventWriter;
pub use explain_log::{ExplainOptions, StepSelection, explain_log};
pub use finished_runs::FinishedRuns;
pub use log_analysis::{LineNote, LogAnalysis, LogReadSummary};
pub use log_analyzer::{AnalyzeOptions, LogAnalyzer};
pub use run_match::RunMatch;
pub use run_separator::RunSeparator;
pub use step_observer::{NoObserver, StepObserver};
pub use unread_inputs::{DiagnosticSink, InputSummary, report_unread_inputs};
