//! Findings and decisions in Python.

use loopbreak::verdict::RunStop;
use loopbreak::{Decision, Finding};
use pyo3::prelude::*;

use crate::json_output::{json_text, json_value};

/// A finding of a detector in a step.
#[pyclass(frozen, eq, module = "loopbreak", name = "Finding")]
#[derive(Debug, PartialEq)]
pub(crate) struct PythonFinding(pub(crate) Finding);

#[pymethods]
impl PythonFinding {
    /// The turn of the step.
    #[getter]
    fn turn(&self) -> u64 {
        self.0.turn
    }

    /// The turn at which the loop began.
    #[getter]
    fn since(&self) -> u64 {
        self.0.since
    }

    /// The detector that made the finding.
    #[getter]
    fn detector(&self) -> String {
        self.0.detector.to_string()
    }

    /// The kind of loop.
    #[getter]
    fn pattern(&self) -> String {
        self.0.pattern.to_string()
    }

    /// The severity: `hint`, `warn` or `hard`.
    #[getter]
    fn severity(&self) -> &'static str {
        self.0.severity.as_str()
    }

    /// The intervention of the policy. Always set on a hard finding.
    #[getter]
    fn intervention(&self) -> Option<&'static str> {
        self.0.intervention.map(loopbreak::Intervention::as_str)
    }

    /// The id of the loop.
    #[getter]
    fn loop_id(&self) -> String {
        self.0.loop_id.to_string()
    }

    /// The agent that is stuck.
    #[getter]
    fn agent(&self) -> &str {
        &self.0.agent
    }

    /// True if it may be acted on, false if it is only reported.
    #[getter]
    fn acted(&self) -> bool {
        self.0.enforced
    }

    /// Number of repeats, in the unit of the detector.
    #[getter]
    fn count(&self) -> u32 {
        self.0.count
    }

    /// The reason, in one sentence without a full stop.
    #[getter]
    fn reason(&self) -> &str {
        self.0.reason()
    }

    /// The facts behind it.
    #[getter]
    fn evidence<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json_value(py, &self.0.evidence)
    }

    /// Returns the finding as a dict.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json_value(py, &self.0)
    }

    /// Returns the finding as JSON text.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        json_text(py, &self.0)
    }

    fn __repr__(&self) -> String {
        format!(
            "Finding(turn={}, since={}, detector={:?}, pattern={:?}, severity={:?}, reason={:?})",
            self.0.turn,
            self.0.since,
            self.detector(),
            self.pattern(),
            self.severity(),
            self.reason()
        )
    }
}

/// A decision of the policy: an intervention, the reason, and whether to carry it out.
#[pyclass(frozen, eq, module = "loopbreak", name = "Decision")]
#[derive(Debug, PartialEq)]
pub(crate) struct PythonDecision(pub(crate) Decision);

#[pymethods]
impl PythonDecision {
    /// The intervention.
    #[getter]
    fn intervention(&self) -> &'static str {
        self.0.intervention.as_str()
    }

    /// The detector whose finding led to it.
    #[getter]
    fn detector(&self) -> String {
        self.0.detector.to_string()
    }

    /// The pattern of that finding.
    #[getter]
    fn pattern(&self) -> String {
        self.0.pattern.to_string()
    }

    /// The id of the loop.
    #[getter]
    fn loop_id(&self) -> String {
        self.0.loop_id.to_string()
    }

    /// The task, if the decision is about one.
    #[getter]
    fn task(&self) -> Option<&str> {
        self.0.task.as_deref()
    }

    /// The reason, in one sentence without a full stop.
    #[getter]
    fn reason(&self) -> &str {
        &self.0.reason
    }

    /// True if it is to be carried out, false if it is only reported.
    #[getter]
    fn acted(&self) -> bool {
        self.0.enforced
    }

    /// Returns the decision as a dict.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json_value(py, &self.0)
    }

    /// Returns the decision as JSON text.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        json_text(py, &self.0)
    }

    fn __repr__(&self) -> String {
        format!(
            "Decision(intervention={:?}, pattern={:?}, reason={:?}, acted={})",
            self.intervention(),
            self.pattern(),
            self.0.reason,
            if self.0.enforced { "True" } else { "False" }
        )
    }
}

/// The end of a run, with its reason.
#[pyclass(frozen, eq, module = "loopbreak", name = "RunStop")]
#[derive(Debug, PartialEq)]
pub(crate) struct PythonRunStop(pub(crate) RunStop);

#[pymethods]
impl PythonRunStop {
    /// The pattern that names the reason, such as `stuck_no_progress`.
    #[getter]
    fn reason(&self) -> String {
        self.0.reason.to_string()
    }

    /// The detector whose finding led to it.
    #[getter]
    fn detector(&self) -> String {
        self.0.detector.to_string()
    }

    /// Returns the stop as a dict.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json_value(py, &self.0)
    }

    /// Returns the stop as JSON text.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        json_text(py, &self.0)
    }

    fn __repr__(&self) -> String {
        format!("RunStop(reason={:?}, detector={:?})", self.reason(), self.detector())
    }
}
