//! Work that takes long, and that Ctrl-C ends.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use crate::python_error::ErrorClass;

/// Time between two looks at the signals.
const PAUSE: Duration = Duration::from_millis(50);

/// Does work on a thread of its own, without the interpreter. Ctrl-C and other signals are handled in the meantime; if a handler
/// raises an exception, the result is dropped.
pub(crate) fn work<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (send, mut receive) = channel();
    let thread = thread::Builder::new().name("loopbreak".to_owned()).spawn(move || _ = send.send(work()));
    thread.map_err(|error| ErrorClass::Internal.raise(py, format!("cannot start a thread: {error}")))?;
    match wait(py, &mut receive)? {
        Some(result) => Ok(result),
        None => Err(ErrorClass::Internal.raise(py, "internal error of Loopbreak: please report it")),
    }
}

/// Waits for the next value without the interpreter. Returns `None` if there is none any more.
pub(crate) fn wait<T: Send>(py: Python<'_>, receive: &mut Receiver<T>) -> PyResult<Option<T>> {
    loop {
        // Only the one owner of a receiver can send it to the closure, hence `&mut`.
        let receive = &mut *receive;
        match py.detach(move || receive.recv_timeout(PAUSE)) {
            Ok(value) => return Ok(Some(value)),
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
        }
    }
}
