//! Raises the exceptions that are defined in Python.

use std::fmt::Display;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// The module with the classes of exceptions.
const MODULE: &str = "loopbreak._errors";

/// An exception of Loopbreak.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ErrorClass {
    Config,
    Step,
    Snapshot,
    Store,
    Log,
    Internal,
}

impl ErrorClass {
    /// Creates the exception with a message.
    pub(crate) fn raise(self, py: Python<'_>, message: impl Display) -> PyErr {
        static CLASSES: [PyOnceLock<Py<PyType>>; 6] = [const { PyOnceLock::new() }; 6];
        let name = match self {
            ErrorClass::Config => "ConfigError",
            ErrorClass::Step => "StepError",
            ErrorClass::Snapshot => "SnapshotError",
            ErrorClass::Store => "StoreError",
            ErrorClass::Log => "LogError",
            ErrorClass::Internal => "LoopbreakError",
        };
        let message = message.to_string();
        match CLASSES[self as usize].import(py, MODULE, name) {
            Ok(class) => PyErr::from_type(class.clone(), (message,)),
            Err(_) => PyRuntimeError::new_err(message),
        }
    }
}
