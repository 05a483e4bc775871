//! Rulings in Python.

use loopbreak::Ruling;
use loopbreak::agent::CallRuling;
use loopbreak::verdict::ScoreAdjustment;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::json_output::{json_text, json_value};
use crate::python_advice::PythonAdvice;
use crate::python_error::ErrorClass;

/// The result of weighing a proposal.
#[pyclass(frozen, eq, module = "loopbreak", name = "Ruling")]
#[derive(Debug, PartialEq)]
pub(crate) struct PythonRuling(Box<Ruling>);

impl From<Ruling> for PythonRuling {
    fn from(ruling: Ruling) -> Self {
        PythonRuling(Box::new(ruling))
    }
}

#[pymethods]
impl PythonRuling {
    /// The turn that the proposal is for.
    #[getter]
    fn turn(&self) -> u64 {
        self.0.turn
    }

    /// The critic's score.
    #[getter]
    fn base(&self) -> f64 {
        self.0.base
    }

    /// Adjustments of the score, in order.
    #[getter]
    fn adjustments(&self) -> Vec<PythonAdjustment> {
        self.0.adjustments.iter().cloned().map(PythonAdjustment).collect()
    }

    /// The plain sum of the score and the adjustments.
    #[getter]
    fn raw(&self) -> f64 {
        self.0.raw
    }

    /// The final score.
    #[getter]
    fn score(&self) -> f64 {
        self.0.score
    }

    /// The lowest score at which a proposal is accepted.
    #[getter]
    fn accept_at(&self) -> f64 {
        self.0.accept_at
    }

    /// True if the proposal is accepted.
    #[getter]
    fn accepted(&self) -> bool {
        self.0.accepted
    }

    /// The intervention of Loopbreak: `penalize`, `reject` or None.
    #[getter]
    fn intervention(&self) -> Option<&'static str> {
        self.0.intervention.map(loopbreak::Intervention::as_str)
    }

    /// Remarks about the proposal.
    #[getter]
    fn hints<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json_value(py, &self.0.hints)
    }

    /// Texts for the agent and the critic.
    #[getter]
    fn advice(&self) -> Vec<PythonAdvice> {
        self.0.advice.iter().cloned().map(PythonAdvice).collect()
    }

    /// Events, for the log.
    #[getter]
    fn events<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json_value(py, &self.0.events)
    }

    /// Returns the ruling as a dict.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json_value(py, &self.0)
    }

    /// Returns the ruling as JSON text, as the engine writes it.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        json_text(py, &self.0)
    }

    #[classmethod]
    #[pyo3(name = "_from_json")]
    fn from_json(class: &Bound<'_, PyType>, text: &str) -> PyResult<Self> {
        let ruling = serde_json::from_str::<Ruling>(text);
        let ruling = ruling
            .map_err(|error| ErrorClass::Snapshot.raise(class.py(), format!("invalid ruling: {error}")))?;
        Ok(ruling.into())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((slf.get_type().getattr("_from_json")?, (slf.get().to_json(slf.py())?,)))
    }

    fn __bool__(&self) -> bool {
        self.0.accepted
    }

    fn __repr__(&self) -> String {
        format!(
            "Ruling(accepted={}, score={}, base={}, adjustments={})",
            if self.0.accepted { "True" } else { "False" },
            self.0.score,
            self.0.base,
            self.0.adjustments.len()
        )
    }
}

/// One adjustment of a proposal's score.
#[pyclass(frozen, eq, module = "loopbreak", name = "Adjustment")]
#[derive(Debug, PartialEq)]
pub(crate) struct PythonAdjustment(ScoreAdjustment);

#[pymethods]
impl PythonAdjustment {
    /// The detector that asked for it.
    #[getter]
    fn detector(&self) -> String {
        self.0.detector.to_string()
    }

    /// The amount that is added; negative for a penalty.
    #[getter]
    fn amount(&self) -> f64 {
        self.0.amount
    }

    /// The reason, in one sentence without a full stop.
    #[getter]
    fn reason(&self) -> &str {
        &self.0.reason
    }

    /// The score after it.
    #[getter]
    fn score(&self) -> f64 {
        self.0.score
    }

    /// True if it was applied, false if it is only reported.
    #[getter]
    fn acted(&self) -> bool {
        self.0.enforced
    }

    /// Returns the adjustment as a dict.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json_value(py, &self.0)
    }

    fn __repr__(&self) -> String {
        format!(
            "Adjustment(detector={:?}, amount={}, reason={:?})",
            self.detector(),
            self.0.amount,
            self.0.reason
        )
    }
}

/// The decision about a call that an agent wants to make.
#[pyclass(frozen, eq, module = "loopbreak", name = "CallRuling")]
#[derive(Debug, PartialEq)]
pub(crate) struct PythonCallRuling(Box<CallRuling>);

impl From<CallRuling> for PythonCallRuling {
    fn from(ruling: CallRuling) -> Self {
        PythonCallRuling(Box::new(ruling))
    }
}

#[pymethods]
impl PythonCallRuling {
    /// The decision: `allow`, `refuse`, or `stop` if the run has to end.
    #[getter]
    fn decision(&self) -> &'static str {
        self.0.answer.as_str()
    }

    /// True if the call may be made.
    #[getter]
    fn accepted(&self) -> bool {
        self.0.answer == loopbreak::agent::CallAnswer::Allow
    }

    /// The text for the agent in place of a result. Empty if the call may be made.
    #[getter]
    fn text(&self) -> &str {
        &self.0.text
    }

    /// The reason, without a full stop. Empty if the call may be made.
    #[getter]
    fn reason(&self) -> &str {
        &self.0.reason
    }

    /// The detector that objects.
    #[getter]
    fn detector(&self) -> Option<String> {
        self.0.detector.map(|detector| detector.to_string())
    }

    /// The ruling of the guard, also if nothing is enforced.
    #[getter]
    fn ruling(&self) -> PythonRuling {
        self.0.ruling.clone().into()
    }

    /// Returns the ruling as a dict.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json_value(py, &self.0)
    }

    /// Returns the ruling as JSON text.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        json_text(py, &self.0)
    }

    fn __bool__(&self) -> bool {
        self.accepted()
    }

    fn __repr__(&self) -> String {
        if self.accepted() {
            return "CallRuling(decision=\"allow\")".to_owned();
        }
        format!("CallRuling(decision={:?}, reason={:?})", self.decision(), self.0.reason)
    }
}
