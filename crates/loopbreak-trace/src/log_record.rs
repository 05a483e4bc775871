//! The output of log readers: records, skipped lines, and statistics.

use std::borrow::Cow;

use loopbreak::{Action, Step};

use crate::skip_reason::SkipReason;

/// One record of a log.
#[derive(Debug)]
pub struct LogRecord<'a> {
    /// Line number, counted from 1.
    pub line: u64,
    /// The step that the record describes.
    pub step: Step<'a>,
}

impl LogRecord<'_> {
    /// Returns the run that the record names, if any.
    pub fn run(&self) -> Option<Cow<'_, str>> {
        self.step.run.as_ref().map(loopbreak::step::Label::as_text)
    }
}

/// A line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedLine {
    /// Line number, counted from 1.
    pub line: u64,
    /// The reason, with a hint if the fix is not obvious.
    pub reason: SkipReason,
}

/// A call that the agent rejected by itself, because the tool does not exist or the arguments are not valid. The record
/// of the call follows it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RejectedCall<'a> {
    /// Id of the call in the log.
    pub id: &'a str,
    /// The subagent that made the call; `None` for the main agent.
    pub agent: Option<&'a str>,
    /// The call.
    pub action: &'a Action<'a>,
    /// The reason that the agent gave to the model.
    pub reason: &'a str,
}

/// An item of a log that the reader does not understand, though it understands the line or the document around it. A
/// new version of a program may write such items. What the item says is missing in the records.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct UnreadItem<'a> {
    /// Line number, counted from 1.
    pub line: u64,
    /// Kind of the item, as the log names it; empty if it has no name.
    pub kind: &'a str,
}

impl<'a> UnreadItem<'a> {
    pub(crate) fn new(line: u64, kind: &'a str) -> Self {
        UnreadItem { line, kind }
    }
}

/// Receives the output of a reader, in the order of the log.
pub trait RecordSink {
    /// Called for each record.
    fn record(&mut self, record: &LogRecord<'_>);
    /// Called before the record of a call that the agent rejected by itself.
    fn rejected_call(&mut self, _call: &RejectedCall<'_>) {}
    /// Called for each item that the reader does not understand. The rest of its line was read.
    fn unread_item(&mut self, _item: &UnreadItem<'_>) {}
    /// Called before a record of a run, once the log has named the folder of the project that the agent works in. The run is
    /// `None` if the log does not name it.
    fn project(&mut self, _run: Option<&str>, _folder: &str) {}
    /// Called for each skipped line.
    fn skipped(&mut self, skipped: SkippedLine);
}

/// The amount of data that a reader has read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadStats {
    /// Number of bytes.
    pub bytes: u64,
    /// Number of lines, including blank ones.
    pub lines: u64,
}
