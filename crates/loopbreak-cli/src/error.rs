//! Errors shown to the user: message, hint and exit code.

use std::fmt;

use crate::{exit, output};

/// An error that ends the program.
#[derive(Debug)]
pub(crate) struct UserError {
    /// Message in lower case, without a full stop.
    pub(crate) message: String,
    /// Advice on how to fix it.
    pub(crate) hint: Option<String>,
    /// The exit code.
    pub(crate) code: u8,
}

impl UserError {
    /// Returns an error for an operation that failed.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        UserError { message: message.into(), hint: None, code: exit::FAILED }
    }

    /// Returns an error for wrong usage or configuration.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        UserError { message: message.into(), hint: None, code: exit::USAGE }
    }

    /// Adds advice on how to fix it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Prints the error to stderr.
    pub(crate) fn print(&self) {
        let style = anstyle::AnsiColor::Red.on_default().bold();
        eprint_line!("{style}error{style:#}{}", output::wrap_error("error", &self.message));
        if let Some(hint) = &self.hint {
            let style = anstyle::AnsiColor::Cyan.on_default().bold();
            eprint_line!("{style}hint{style:#}{}", output::wrap_error("hint", hint));
        }
    }
}

impl From<loopbreak_watch::notification::NotifierError> for UserError {
    fn from(error: loopbreak_watch::notification::NotifierError) -> Self {
        UserError { hint: error.hint().map(str::to_owned), ..UserError::usage(error.to_string()) }
    }
}

impl fmt::Display for UserError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<loopbreak_runner::RunError> for UserError {
    fn from(error: loopbreak_runner::RunError) -> Self {
        UserError {
            message: error.message().to_owned(),
            hint: error.suggestion().map(str::to_owned),
            code: error.exit_code(),
        }
    }
}
