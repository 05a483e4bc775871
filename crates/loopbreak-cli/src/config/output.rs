//! Prints data on stdout.

use std::io::{ErrorKind, Write as _};

use crate::error::UserError;

/// Prints data. A closed pipe is not an error.
pub(crate) fn show(text: &str) -> Result<(), UserError> {
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(UserError::failed(format!("cannot write the output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints a value as JSON.
pub(crate) fn show_json(value: &impl serde::Serialize) -> Result<(), UserError> {
    let text = serde_json::to_string_pretty(value).map_err(|error| UserError::failed(error.to_string()))?;
    show(&(text + "\n"))
}
