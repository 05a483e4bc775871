//! Guards in Python.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use loopbreak::verdict::LoopId;
use loopbreak::{Guard, Proposal, Severity, Snapshot, Verdict};
use pyo3::prelude::*;
use pyo3::types::PyType;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::engine_call::{call_engine, call_engine_with, lock};
use crate::python_config::{PythonConfig, read_optional_config};
use crate::python_error::ErrorClass;
use crate::python_ruling::PythonRuling;
use crate::python_step::{parse_step, record_json, step_json};
use crate::python_verdict::PythonVerdict;

/// Number of loops whose severity is remembered.
const MAX_LOOPS: usize = 16;

/// The engine for one run: takes steps and proposals, gives verdicts and rulings.
#[pyclass(frozen, module = "loopbreak", name = "Guard")]
#[derive(Debug)]
pub(crate) struct PythonGuard(Mutex<GuardedSteps>);

#[derive(Debug)]
struct GuardedSteps {
    guard: Guard,
    seen: SeenLoops,
}

/// The severities of the loops that were reported. The engine reports a loop once per severity; its later steps are not clear.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
struct SeenLoops(BTreeMap<String, SeenLoop>);

#[derive(Debug, Serialize, Deserialize)]
struct SeenLoop {
    severity: Severity,
    turn: u64,
}

impl SeenLoops {
    /// Records the findings of a verdict. Returns the worst severity of the loops that the step belongs to.
    fn note(&mut self, verdict: &Verdict) -> Option<Severity> {
        let turn = verdict.turn;
        for finding in &verdict.findings {
            let id = finding.loop_id.to_string();
            let severity =
                self.0.get(&id).map_or(finding.severity, |seen| seen.severity.max(finding.severity));
            self.0.insert(id, SeenLoop { severity, turn });
        }
        let mut worst = verdict.findings.iter().map(|finding| finding.severity).max();
        for id in verdict.sighted.iter().map(LoopId::to_string) {
            if let Some(seen) = self.0.get_mut(&id) {
                seen.turn = turn;
                worst = worst.max(Some(seen.severity));
            }
        }
        while self.0.len() > MAX_LOOPS {
            let oldest = self.0.iter().min_by_key(|(_, seen)| seen.turn).map(|(id, _)| id.clone());
            let Some(oldest) = oldest else { break };
            self.0.remove(&oldest);
        }
        worst
    }
}

/// The JSON of a snapshot: that of the engine, and the loops that were seen.
#[derive(Deserialize)]
struct SeenPart {
    #[serde(default)]
    seen: SeenLoops,
}

#[derive(Serialize)]
struct GuardState<'s> {
    #[serde(flatten)]
    engine: BTreeMap<&'s str, &'s RawValue>,
    seen: &'s SeenLoops,
}

#[pymethods]
impl PythonGuard {
    /// Creates a guard for a new run. `config` is a Config, a dict as in `loopbreak.toml`, or the path of a file.
    #[new]
    #[pyo3(signature = (config=None, run=None))]
    fn new(config: Option<&Bound<'_, PyAny>>, run: Option<&str>) -> PyResult<Self> {
        let guard = Guard::new(read_optional_config(config)?);
        let guard = run.into_iter().fold(guard, Guard::for_run);
        Ok(PythonGuard::from_guard(guard, SeenLoops::default()))
    }

    /// Observes a step, which is a dict, a JSON text or a Step. Returns the verdict.
    fn observe(&self, py: Python<'_>, step: &Bound<'_, PyAny>) -> PyResult<PythonVerdict> {
        let json = step_json(step)?;
        let json: &str = &json;
        let bytes = json.len();
        let step = if bytes < crate::engine_call::LONG_TEXT {
            parse_step(py, json)?
        } else {
            let parsed = py.detach(|| loopbreak::Step::from_json(json));
            parsed.map_err(|error| ErrorClass::Step.raise(py, format!("invalid step: {error}")))?
        };
        let mut guarded = lock(py, &self.0);
        let guarded = &mut *guarded;
        let (verdict, severity) = call_engine_with(py, bytes, || {
            let verdict = guarded.guard.observe(&step);
            let severity = guarded.seen.note(&verdict);
            (verdict, severity)
        })?;
        Ok(PythonVerdict::new(Arc::new(verdict), severity))
    }

    /// Weighs a proposal, which is a dict or a JSON text. Returns the ruling, and changes nothing.
    fn weigh(&self, py: Python<'_>, proposal: &Bound<'_, PyAny>) -> PyResult<PythonRuling> {
        let json = record_json(proposal, "proposal")?;
        let proposal = Proposal::from_json(&json)
            .map_err(|error| ErrorClass::Step.raise(py, format!("invalid proposal: {error}")))?;
        let guarded = lock(py, &self.0);
        Ok(call_engine(py, || guarded.guard.weigh(&proposal))?.into())
    }

    /// Returns the state of the guard as a text, to be stored.
    fn snapshot(&self, py: Python<'_>) -> PyResult<String> {
        let guarded = lock(py, &self.0);
        let text = call_engine(py, || snapshot_text(&guarded))?;
        text.map_err(|error| ErrorClass::Snapshot.raise(py, error))
    }

    /// Creates a guard that continues where the snapshot was taken.
    #[classmethod]
    #[pyo3(signature = (text, config=None))]
    fn restore(class: &Bound<'_, PyType>, text: &str, config: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let config = read_optional_config(config)?;
        let failed = |error: String| {
            ErrorClass::Snapshot.raise(class.py(), format!("cannot restore the guard: {error}"))
        };
        let snapshot = Snapshot::from_json(text.as_bytes()).map_err(|error| failed(error.to_string()))?;
        let guard = Guard::restore(config, snapshot).map_err(|error| failed(error.to_string()))?;
        let seen = serde_json::from_str::<SeenPart>(text).map(|part| part.seen).unwrap_or_default();
        Ok(PythonGuard::from_guard(guard, seen))
    }

    /// The number of the last turn.
    #[getter]
    fn turn(&self, py: Python<'_>) -> u64 {
        lock(py, &self.0).guard.turn()
    }

    /// The settings.
    #[getter]
    fn config(&self, py: Python<'_>) -> PythonConfig {
        PythonConfig(lock(py, &self.0).guard.config().clone())
    }

    /// Returns whether the agent was moved away from a task, which is not finished and must not be started again.
    fn was_forced(&self, py: Python<'_>, task: &str) -> bool {
        lock(py, &self.0).guard.was_forced(task)
    }

    #[allow(clippy::type_complexity, reason = "the form that pickle asks for")]
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String, PythonConfig))> {
        let (py, guard) = (slf.py(), slf.get());
        Ok((slf.get_type().getattr("restore")?, (guard.snapshot(py)?, guard.config(py))))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("Guard(turn={})", self.turn(py))
    }
}

impl PythonGuard {
    fn from_guard(guard: Guard, seen: SeenLoops) -> Self {
        PythonGuard(Mutex::new(GuardedSteps { guard, seen }))
    }
}

fn snapshot_text(guarded: &GuardedSteps) -> serde_json::Result<String> {
    let engine = guarded.guard.snapshot().to_json()?;
    let engine: BTreeMap<Cow<'_, str>, &RawValue> = serde_json::from_str(engine.get())?;
    let engine = engine.iter().map(|(name, value)| (&**name, *value)).collect();
    serde_json::to_string(&GuardState { engine, seen: &guarded.seen })
}
