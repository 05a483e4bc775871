//! Series in Python.

use std::sync::{Arc, Mutex};

use loopbreak::Series;
use loopbreak::series::{RunSummary, SeriesState, TaskCheck};
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::engine_call::{call_engine, lock};
use crate::json_output::{json_text, json_value};
use crate::python_config::{PythonConfig, read_optional_config};
use crate::python_error::ErrorClass;
use crate::python_step::{parse_step, step_json};
use crate::python_verdict::PythonVerdict;

/// The engine for many runs of one project: attempts at tasks that span several sessions.
#[pyclass(frozen, module = "loopbreak", name = "Series")]
#[derive(Debug)]
pub(crate) struct PythonSeries {
    series: Mutex<Series>,
    config: loopbreak::Config,
}

#[pymethods]
impl PythonSeries {
    /// Creates an empty series.
    #[new]
    #[pyo3(signature = (config=None))]
    fn new(config: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let config = read_optional_config(config)?;
        Ok(PythonSeries { series: Mutex::new(Series::new(config.clone())), config })
    }

    /// Records an attempt at a task, which is a step with `task`. Returns false if the step is not an attempt.
    fn record(&self, py: Python<'_>, step: &Bound<'_, PyAny>) -> PyResult<bool> {
        let json = step_json(step)?;
        let step = parse_step(py, &json)?;
        let mut series = lock(py, &self.series);
        call_engine(py, || series.record(&step))
    }

    /// Checks whether a task loops, without recording anything. `now` is in milliseconds since 1970.
    #[pyo3(signature = (task, now=None))]
    fn check(&self, py: Python<'_>, task: &str, now: Option<i64>) -> PyResult<PythonTaskCheck> {
        let series = lock(py, &self.series);
        call_engine(py, || series.check(task, now)).map(PythonTaskCheck)
    }

    /// Recovers a task as `check` recommends. The verdict is empty if the task does not loop.
    #[pyo3(signature = (run, task, now=None))]
    fn recover(&self, py: Python<'_>, run: &str, task: &str, now: Option<i64>) -> PyResult<PythonVerdict> {
        let mut series = lock(py, &self.series);
        let verdict = call_engine(py, || series.recover(run, task, now))?;
        let severity = verdict.findings.iter().map(|finding| finding.severity).max();
        Ok(PythonVerdict::new(Arc::new(verdict), severity))
    }

    /// Observes a step of any run: records the attempt in it, and recovers the task if it loops.
    fn observe(&self, py: Python<'_>, run: &str, step: &Bound<'_, PyAny>) -> PyResult<PythonVerdict> {
        let json = step_json(step)?;
        let step = parse_step(py, &json)?;
        let mut series = lock(py, &self.series);
        let verdict = call_engine(py, || series.observe(run, &step))?;
        let severity = verdict.findings.iter().map(|finding| finding.severity).max();
        Ok(PythonVerdict::new(Arc::new(verdict), severity))
    }

    /// Records that a later task sent the work back to an earlier one. Returns the verdict on it.
    #[pyo3(signature = (run, origin, target, now=None))]
    fn send_back(
        &self,
        py: Python<'_>,
        run: &str,
        origin: &str,
        target: &str,
        now: Option<i64>,
    ) -> PyResult<PythonVerdict> {
        let mut series = lock(py, &self.series);
        let verdict = call_engine(py, || series.send_back(run, origin, target, now))?;
        let severity = verdict.findings.iter().map(|finding| finding.severity).max();
        Ok(PythonVerdict::new(Arc::new(verdict), severity))
    }

    /// Records a run that has ended, by its steps. The verdict reports runs with the same prompt that end early, one after the other.
    fn conclude(&self, py: Python<'_>, run: &str, steps: &Bound<'_, PyAny>) -> PyResult<PythonVerdict> {
        let mut summary = RunSummary::new(&self.config, run);
        for step in steps.try_iter()? {
            let step = step?;
            let json = step_json(&step)?;
            let step = parse_step(py, &json)?;
            call_engine(py, || summary.observe(&step))?;
        }
        let mut series = lock(py, &self.series);
        let verdict = call_engine(py, || series.conclude(&summary))?;
        let severity = verdict.findings.iter().map(|finding| finding.severity).max();
        Ok(PythonVerdict::new(Arc::new(verdict), severity))
    }

    /// Forgets the attempts at a task.
    fn clear_attempts(&self, py: Python<'_>, task: &str) {
        lock(py, &self.series).clear_attempts(task);
    }

    /// Returns the recent attempts at all tasks, by task.
    fn status<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let status = lock(py, &self.series).status();
        json_value(py, &status)
    }

    /// Returns whether the agent was moved away from a task, which is not finished and must not be started again.
    fn was_forced(&self, py: Python<'_>, task: &str) -> bool {
        lock(py, &self.series).was_forced(task)
    }

    /// Returns the state of the series as a text, to be stored.
    fn snapshot(&self, py: Python<'_>) -> PyResult<String> {
        let state = lock(py, &self.series).snapshot();
        json_text(py, &state)
    }

    /// Creates a series that continues where the snapshot was taken.
    #[classmethod]
    #[pyo3(signature = (text, config=None))]
    fn restore(class: &Bound<'_, PyType>, text: &str, config: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let config = read_optional_config(config)?;
        let state: SeriesState = serde_json::from_str(text).map_err(|error| {
            ErrorClass::Snapshot.raise(class.py(), format!("cannot restore the series: {error}"))
        })?;
        Ok(PythonSeries { series: Mutex::new(Series::restore(config.clone(), state)), config })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String, PythonConfig))> {
        let series = slf.get();
        let config = PythonConfig(series.config.clone());
        Ok((slf.get_type().getattr("restore")?, (series.snapshot(slf.py())?, config)))
    }

    fn __repr__(&self) -> String {
        "Series()".to_owned()
    }
}

/// The result of checking whether a task loops.
#[pyclass(frozen, eq, module = "loopbreak", name = "TaskCheck")]
#[derive(Debug, PartialEq)]
pub(crate) struct PythonTaskCheck(TaskCheck);

#[pymethods]
impl PythonTaskCheck {
    /// True if the task loops.
    #[getter]
    fn is_looping(&self) -> bool {
        self.0.is_looping
    }

    /// The pattern of the loop.
    #[getter]
    fn loop_type(&self) -> Option<String> {
        self.0.loop_type.map(|pattern| pattern.to_string())
    }

    /// Number of attempts within the window.
    #[getter]
    fn attempt_count(&self) -> u32 {
        self.0.attempt_count
    }

    /// The intervention that is due.
    #[getter]
    fn recommendation(&self) -> Option<&'static str> {
        self.0.recommendation.map(loopbreak::Intervention::as_str)
    }

    /// The reason, in one sentence without a full stop.
    #[getter]
    fn reason(&self) -> Option<&str> {
        self.0.reason.as_deref()
    }

    /// The facts behind it.
    #[getter]
    fn evidence<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json_value(py, &self.0.evidence)
    }

    /// Returns the check as a dict, with the keys that orchestrators use.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json_value(py, &self.0)
    }

    /// Returns the check as JSON text.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        json_text(py, &self.0)
    }

    fn __bool__(&self) -> bool {
        self.0.is_looping
    }

    fn __repr__(&self) -> String {
        let recommendation =
            self.recommendation().map_or_else(|| "None".to_owned(), |name| format!("{name:?}"));
        format!(
            "TaskCheck(is_looping={}, attempt_count={}, recommendation={recommendation})",
            if self.0.is_looping { "True" } else { "False" },
            self.0.attempt_count
        )
    }
}
