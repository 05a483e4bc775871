//! JSON of the engine as Python values.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use serde::Serialize;

use crate::python_error::ErrorClass;

/// Returns a value as JSON text, as `loopbreak` writes it.
pub(crate) fn json_text<T: Serialize>(py: Python<'_>, value: &T) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| ErrorClass::Internal.raise(py, error))
}

/// Returns a value as the Python value of its JSON. The keys have the order of the JSON.
pub(crate) fn json_value<'py, T: Serialize>(py: Python<'py>, value: &T) -> PyResult<Bound<'py, PyAny>> {
    parse_json(py, &json_text(py, value)?)
}

/// Parses JSON into Python values.
pub(crate) fn parse_json<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    static LOADS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let loads = LOADS.get_or_try_init(py, || {
        PyResult::Ok(py.import(intern!(py, "json"))?.getattr(intern!(py, "loads"))?.unbind())
    })?;
    loads.bind(py).call1((text,))
}
