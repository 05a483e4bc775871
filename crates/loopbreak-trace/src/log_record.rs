//! What readers of logs give: records, skipped lines, and how much was read.

use std::borrow::Cow;

use loopbreak::Step;

use crate::skip_reason::SkipReason;

/// One record of a log.
#[derive(Debug)]
pub struct LogRecord<'a> {
    /// The line it stands on, from 1 on.
    pub line: u64,
    /// What it says.
    pub step: Step<'a>,
}

impl LogRecord<'_> {
    /// The run it belongs to, where it names one.
    pub fn run(&self) -> Option<Cow<'_, str>> {
        self.step.run.as_ref().map(loopbreak::Label::as_text)
    }
}

/// A line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedLine {
    /// The line, from 1 on.
    pub line: u64,
    /// Why, and what to do.
    pub reason: SkipReason,
}

/// Who takes what a reader yields, in the order of the log.
pub trait RecordSink {
    /// A record was read.
    fn record(&mut self, record: &LogRecord<'_>);
    /// A line was skipped.
    fn skipped(&mut self, skipped: SkippedLine);
}

/// How much a reader read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadStats {
    /// In bytes.
    pub bytes: u64,
    /// In lines, blank ones included.
    pub lines: u64,
}
