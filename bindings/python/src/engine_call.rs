//! Calls of the engine.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::sync::MutexExt as _;

use crate::python_error::ErrorClass;

/// Length of a text in bytes from which the interpreter is released while the engine reads it. Releasing it takes longer than to
/// read a short one.
pub(crate) const LONG_TEXT: usize = 32 * 1024;

/// Locks a value, without keeping the interpreter from other threads. A thread that panicked with the lock has left a value that
/// is whole: the engine is called with it as the last thing.
pub(crate) fn lock<'m, T: Send>(py: Python<'_>, mutex: &'m Mutex<T>) -> MutexGuard<'m, T> {
    match mutex.try_lock() {
        Ok(guard) => guard,
        Err(_) => mutex.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner),
    }
}

/// Calls the engine. A panic in it, which is a mistake of Loopbreak, becomes an exception that programs can handle.
pub(crate) fn call_engine<T>(py: Python<'_>, call: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|_| {
        ErrorClass::Internal
            .raise(py, "internal error of Loopbreak: please report it with the text on standard error")
    })
}

/// Does the same, and releases the interpreter if the text is long.
pub(crate) fn call_engine_with<T: Send>(
    py: Python<'_>,
    bytes: usize,
    call: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    if bytes < LONG_TEXT {
        return call_engine(py, call);
    }
    let called = py.detach(|| catch_unwind(AssertUnwindSafe(call)));
    call_engine(py, || called.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
}
