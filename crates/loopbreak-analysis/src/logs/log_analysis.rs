//! The result of reading one log.

use std::collections::BTreeSet;

use loopbreak_trace::{OpenError, UnreadItem};

use super::finished_runs::FinishedRuns;
use crate::series::ReportedAttempt;

/// The runs of one log, and a summary of the reading.
#[derive(Debug, Default)]
pub struct LogAnalysis {
    /// The runs in the order of their first steps.
    pub runs: FinishedRuns,
    /// Attempts at tasks in the order of the log.
    pub attempts: Vec<ReportedAttempt>,
    /// Ids of some runs that were not selected.
    pub other_runs: BTreeSet<String>,
    /// Summary of the reading.
    pub reading: LogReadSummary,
}

/// Summary of the reading of one log.
#[derive(Debug, Default)]
pub struct LogReadSummary {
    /// Bytes read.
    pub bytes: u64,
    /// Lines that could not be read.
    pub skipped_lines: u64,
    /// Items of other lines that could not be read.
    pub unread_items: u64,
    /// Notes about lines: the first ones, up to the limit of the reader.
    pub notes: Vec<LineNote>,
    /// Number of notes beyond the limit.
    pub unlisted_notes: u64,
    /// The reason why the log was not read, or not to its end.
    pub refusal: Option<OpenError>,
}

impl LogReadSummary {
    /// Returns the summary of a log that could not be opened.
    pub fn refused(refusal: OpenError) -> Self {
        LogReadSummary { refusal: Some(refusal), ..LogReadSummary::default() }
    }

    /// Forgets the lines that could not be read, because the runs of the log were not selected.
    pub(super) fn forget_lines(&mut self) {
        (self.skipped_lines, self.unread_items, self.unlisted_notes) = (0, 0, 0);
        self.notes.clear();
    }

    /// Counts an item that could not be read, and adds a note about it, unless there are `limit` notes already.
    pub(super) fn add_unread_item(&mut self, limit: usize, item: &UnreadItem<'_>) {
        self.unread_items += 1;
        self.note(limit, item.line, || match item.kind {
            "" => "an item of an unknown kind; item left out".to_owned(),
            kind => format!("an item of the unknown kind {kind:?}; item left out"),
        });
    }

    /// Adds a note about a line, unless there are `limit` notes already.
    pub fn note(&mut self, limit: usize, line: u64, text: impl FnOnce() -> String) {
        if self.notes.len() < limit {
            self.notes.push(LineNote { line, text: text() });
        } else {
            self.unlisted_notes += 1;
        }
    }
}

/// A note about one line of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineNote {
    /// The line, counted from 1.
    pub line: u64,
    /// The problem.
    pub text: String,
}
