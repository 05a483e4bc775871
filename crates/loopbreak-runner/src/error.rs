//! Errors that end a run.

use std::fmt;

use loopbreak_report::exit;
use loopbreak_store::StoreError;

/// An error that ends a run: what happened, what to do about it, and the exit code.
#[derive(Clone, Debug)]
pub struct RunError {
    message: String,
    hint: Option<String>,
    code: u8,
}

impl RunError {
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        RunError { message: message.into(), hint: None, code: exit::FAILED }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        RunError { message: message.into(), hint: None, code: exit::USAGE }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Returns what happened, in lower case, without a full stop.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns what to do about it.
    pub fn suggestion(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Returns the exit code of a program that ends with this error: see [`loopbreak_report::exit`].
    pub fn exit_code(&self) -> u8 {
        self.code
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for RunError {}

impl From<StoreError> for RunError {
    fn from(error: StoreError) -> Self {
        RunError::failed(error.to_string())
    }
}
