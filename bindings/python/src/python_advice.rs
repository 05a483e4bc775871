//! Advice in Python.

use loopbreak::verdict::Advice;
use pyo3::prelude::*;

use crate::json_output::{json_text, json_value};

/// A text for the agent, the critic or the user. `str(advice)` is the text.
#[pyclass(frozen, eq, module = "loopbreak", name = "Advice")]
#[derive(Debug, PartialEq)]
pub(crate) struct PythonAdvice(pub(crate) Advice);

#[pymethods]
impl PythonAdvice {
    /// The text.
    #[getter]
    fn text(&self) -> &str {
        &self.0.text
    }

    /// The reader: `agent`, `critic` or `user`.
    #[getter]
    fn audience(&self) -> &'static str {
        self.0.audience.as_str()
    }

    /// The detector whose finding it is about.
    #[getter]
    fn detector(&self) -> String {
        self.0.detector.to_string()
    }

    /// Returns the advice as a dict.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json_value(py, &self.0)
    }

    /// Returns the advice as JSON text.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        json_text(py, &self.0)
    }

    fn __str__(&self) -> &str {
        &self.0.text
    }

    fn __repr__(&self) -> String {
        format!(
            "Advice(audience={:?}, detector={:?}, text={:?})",
            self.audience(),
            self.detector(),
            self.0.text
        )
    }
}
