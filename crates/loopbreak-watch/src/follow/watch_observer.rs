//! The receiver of everything that is read from followed logs.

use std::path::Path;

use loopbreak_trace::{LogRecord, RecordSink, SkippedLine};

use super::followed_log::StepOrigin;

/// Receives steps and remarks while logs are followed.
pub(crate) trait WatchObserver {
    /// Receives a step. `is_live` is true if it was written since the watch began.
    fn step(&mut self, origin: &StepOrigin, path: &Path, is_live: bool, record: &LogRecord<'_>);
    /// Receives a line that cannot be read.
    fn line_skipped(&mut self, path: &Path, skipped: &SkippedLine);
    /// The log at this path restarted from its beginning.
    fn log_restarted(&mut self, path: &Path);
    /// The whole source is read again: its runs are forgotten, and nothing is reported twice.
    fn reread_started(&mut self, source_id: usize);
    /// The source was read to its end.
    fn reread_finished(&mut self, source_id: usize);
    /// Receives a warning about a file.
    fn warning(&mut self, path: &Path, text: &str);
    /// Receives a remark about a file that the user did not name.
    fn note(&mut self, path: &Path, text: &str);
    /// Called after each chunk, so that memory stays bounded while much is read.
    fn trim_memory(&mut self);
}

/// Passes the records of a log reader to an observer.
pub(crate) struct ObserverSink<'a> {
    pub(crate) origin: &'a StepOrigin,
    pub(crate) path: &'a Path,
    pub(crate) is_live: bool,
    pub(crate) observer: &'a mut dyn WatchObserver,
}

impl RecordSink for ObserverSink<'_> {
    fn record(&mut self, record: &LogRecord<'_>) {
        self.observer.step(self.origin, self.path, self.is_live, record);
    }

    fn skipped(&mut self, skipped: SkippedLine) {
        if self.is_live {
            self.observer.line_skipped(self.path, &skipped);
        }
    }
}
