//! Verdicts in Python.

use std::sync::Arc;

use loopbreak::{Severity, Verdict};
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::json_output::{json_text, json_value};
use crate::python_advice::PythonAdvice;
use crate::python_error::ErrorClass;
use crate::python_finding::{PythonDecision, PythonFinding, PythonRunStop};
use crate::python_ruling::PythonRuling;

/// The answer of a guard to a step.
#[pyclass(frozen, eq, module = "loopbreak", name = "Verdict")]
#[derive(Debug, PartialEq)]
pub(crate) struct PythonVerdict {
    verdict: Arc<Verdict>,
    /// The worst severity of the loops that the step belongs to.
    severity: Option<Severity>,
}

impl PythonVerdict {
    pub(crate) fn new(verdict: Arc<Verdict>, severity: Option<Severity>) -> Self {
        PythonVerdict { verdict, severity }
    }
}

#[pymethods]
impl PythonVerdict {
    /// The turn of the step, as the guard counts.
    #[getter]
    fn turn(&self) -> u64 {
        self.verdict.turn
    }

    /// The verdict in a word: `clear`, `warn`, or `stop` if the step belongs to a loop with a hard finding.
    #[getter(verdict)]
    fn word(&self) -> &'static str {
        match self.severity {
            Some(Severity::Hard) => "stop",
            Some(Severity::Warn) => "warn",
            _ => "clear",
        }
    }

    /// True if the guard gave the step another turn number than its own.
    #[getter]
    fn renumbered(&self) -> bool {
        self.verdict.renumbered
    }

    /// Findings that are new, or worse than when last reported.
    #[getter]
    fn findings(&self) -> Vec<PythonFinding> {
        self.verdict.findings.iter().cloned().map(PythonFinding).collect()
    }

    /// Ids of the loops that the step belongs to, reported or not.
    #[getter]
    fn sighted(&self) -> Vec<String> {
        self.verdict.sighted.iter().map(ToString::to_string).collect()
    }

    /// Decisions of the policy about the findings.
    #[getter]
    fn decisions(&self) -> Vec<PythonDecision> {
        self.verdict.decisions.iter().cloned().map(PythonDecision).collect()
    }

    /// Interventions that have to be carried out, the strongest first.
    #[getter]
    fn interventions(&self) -> Vec<&'static str> {
        let enforced = self.verdict.decisions.iter().filter(|decision| decision.enforced);
        let mut all: Vec<_> = enforced.map(|decision| decision.intervention).collect();
        all.sort_unstable_by(|one, other| other.cmp(one));
        all.dedup();
        all.into_iter().map(loopbreak::Intervention::as_str).collect()
    }

    /// Texts for the agent, the critic and the user.
    #[getter]
    fn advice(&self) -> Vec<PythonAdvice> {
        self.verdict.advice.iter().cloned().map(PythonAdvice).collect()
    }

    /// Entries for the context that agents share.
    #[getter]
    fn context<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json_value(py, &self.verdict.context)
    }

    /// Tasks whose state has to be changed.
    #[getter]
    fn tasks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json_value(py, &self.verdict.tasks)
    }

    /// The ruling on the step's action, if the critic scored it.
    #[getter]
    fn ruling(&self) -> Option<PythonRuling> {
        self.verdict.ruling.clone().map(PythonRuling::from)
    }

    /// Events, for the log.
    #[getter]
    fn events<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json_value(py, &self.verdict.events)
    }

    /// Set if the run has to end now.
    #[getter]
    fn stop(&self) -> Option<PythonRunStop> {
        self.verdict.stop.map(PythonRunStop)
    }

    /// The end of the run that is due, until the user speaks or the run makes progress.
    #[getter]
    fn stop_due(&self) -> Option<PythonRunStop> {
        self.verdict.stop_due.map(PythonRunStop)
    }

    /// The turn at which the current loop began, so that it can be dropped from the context of the agent.
    #[getter]
    fn rewind_to(&self) -> Option<u64> {
        self.verdict.rewind_to
    }

    /// True if the run is held out: it is only observed.
    #[getter]
    fn holdout(&self) -> bool {
        self.verdict.holdout
    }

    /// True if the step made progress of any kind.
    #[getter]
    fn progress(&self) -> bool {
        self.verdict.progress.any()
    }

    /// Returns the verdict as a dict.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json_value(py, &*self.verdict)
    }

    /// Returns the verdict as JSON text, as the engine writes it.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        json_text(py, &*self.verdict)
    }

    #[classmethod]
    #[pyo3(name = "_from_json", signature = (text, word))]
    fn from_json(class: &Bound<'_, PyType>, text: &str, word: &str) -> PyResult<Self> {
        let verdict = serde_json::from_str(text)
            .map_err(|error| ErrorClass::Snapshot.raise(class.py(), format!("invalid verdict: {error}")))?;
        let severity = match word {
            "stop" => Some(Severity::Hard),
            "warn" => Some(Severity::Warn),
            _ => None,
        };
        Ok(PythonVerdict { verdict: Arc::new(verdict), severity })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String, &'static str))> {
        let verdict = slf.get();
        Ok((slf.get_type().getattr("_from_json")?, (verdict.to_json(slf.py())?, verdict.word())))
    }

    fn __repr__(&self) -> String {
        let findings: Vec<String> = self
            .verdict
            .findings
            .iter()
            .map(|finding| format!("{} {}", finding.severity, finding.pattern))
            .collect();
        format!(
            "Verdict(turn={}, verdict={:?}, findings=[{}])",
            self.verdict.turn,
            self.word(),
            findings.join(", ")
        )
    }
}
