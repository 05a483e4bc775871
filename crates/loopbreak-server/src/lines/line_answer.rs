//! Answers to lines.

use serde::Serialize;

use crate::mcp::protocol::ToolError;
use crate::mcp::tools::output::{RecordStepOutput, RulingOutput};

/// The answer to a line. Serialize it to get the JSON.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct LineAnswer(pub(super) AnswerContent);

/// The content of an answer.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum AnswerContent {
    /// The verdict on a step.
    Verdict(Box<RecordStepOutput>),
    /// The ruling on an action.
    Ruling(Box<RulingOutput>),
    /// The line could not be used.
    Error {
        /// The error.
        error: LineError,
    },
}

/// The reason why a line could not be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LineError {
    /// Kind of the error, for programs.
    pub code: LineErrorCode,
    /// Description of the problem.
    pub message: String,
    /// Advice on how to fix it.
    pub hint: String,
    /// Number of the line, counted from 1.
    pub line: u64,
}

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LineErrorCode {
    /// The line is longer than [`MAX_LINE_BYTES`](super::MAX_LINE_BYTES).
    LineTooLong,
    /// The line is not a JSON object.
    NotJson,
    /// The object is not a step.
    InvalidStep,
    /// The object is not a question about an action.
    InvalidWeigh,
    /// The line names another run than the one that is stored.
    OtherRun,
    /// The store cannot be used.
    Store,
}

impl LineAnswer {
    /// Returns the verdict on a step: `clear`, `warn` or `stop`.
    pub fn verdict(&self) -> Option<&'static str> {
        match &self.0 {
            AnswerContent::Verdict(output) => Some(output.verdict),
            _ => None,
        }
    }

    /// Returns whether an action should be taken, if the line asked about one.
    pub fn accepted(&self) -> Option<bool> {
        match &self.0 {
            AnswerContent::Ruling(output) => Some(output.accepted),
            _ => None,
        }
    }

    /// Returns the error, if the line could not be used.
    pub fn error(&self) -> Option<&LineError> {
        match &self.0 {
            AnswerContent::Error { error } => Some(error),
            _ => None,
        }
    }
}

/// A line that cannot be used, before its number is known.
#[derive(Debug)]
pub(super) struct RejectedLine {
    code: LineErrorCode,
    error: ToolError,
}

impl RejectedLine {
    pub(super) fn new(code: LineErrorCode, what: impl Into<String>, hint: impl Into<String>) -> Self {
        RejectedLine { code, error: ToolError::new(what, hint) }
    }

    /// Returns the function that gives an error its kind.
    pub(super) fn with_code(code: LineErrorCode) -> impl Fn(ToolError) -> Self {
        move |error| RejectedLine { code, error }
    }

    /// Returns the answer to the line.
    pub(super) fn at(self, line: u64) -> LineAnswer {
        let (message, hint) = self.error.into_parts();
        // The tools have a schema that models see. Lines have a page.
        let hint = hint.replace(
            "See the input schema of the tool; nothing was recorded",
            "`loopbreak guard --help` shows the form of a line; nothing was recorded",
        );
        LineAnswer(AnswerContent::Error { error: LineError { code: self.code, message, hint, line } })
    }
}
