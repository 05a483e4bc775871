//! Runs in Python.

use std::path::PathBuf;
use std::sync::Arc;

use loopbreak::agent::AgentStop;
use loopbreak_store::{StoreUrl, create_parent_folder, default_path};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyString, PyType};

use crate::json_input::lenient_text;
use crate::json_output::json_value;
use crate::python_advice::PythonAdvice;
use crate::python_config::{PythonConfig, read_optional_config};
use crate::python_error::ErrorClass;
use crate::python_ruling::PythonCallRuling;
use crate::run_keeper::RunKeeper;
use crate::run_store::RunStore;
use crate::tool_call::{ToolCall, read_outcome, read_usage};

/// Longest id of a run, in bytes.
const ID_BYTES: usize = 200;

/// A run of an agent whose calls pass the guard: ask `before` each call, and report it with `after`. All methods can be called
/// from any thread.
#[pyclass(frozen, module = "loopbreak", name = "Run", weakref)]
#[derive(Debug)]
pub(crate) struct PythonRun(pub(crate) Arc<RunKeeper>);

#[pymethods]
impl PythonRun {
    /// Creates a run. With `store`, its state is kept there, so that several processes can guard it: True is the store of the
    /// user, a text or a path is another one.
    #[new]
    #[pyo3(signature = (id, config=None, store=None))]
    fn new(
        id: &Bound<'_, PyAny>,
        config: Option<&Bound<'_, PyAny>>,
        store: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let (id, config) = (read_id(id)?, read_optional_config(config)?);
        Ok(PythonRun(Arc::new(match read_store(store)? {
            None => RunKeeper::in_memory(id, config),
            Some(store) => RunKeeper::stored(id, config, store),
        })))
    }

    /// The id of the run.
    #[getter]
    fn id(&self) -> &str {
        &self.0.id
    }

    /// The settings.
    #[getter]
    fn config(&self) -> PythonConfig {
        PythonConfig(self.0.config.clone())
    }

    /// The number of the last turn.
    #[getter]
    fn turn(&self, py: Python<'_>) -> PyResult<u64> {
        self.0.turn(py)
    }

    /// Decides about a call before it is made. A call that is refused is recorded here: do not report it with `after`.
    ///
    /// `args` can be any value, or a JSON text. `batch` is the same for all calls that one message of the agent makes in parallel:
    /// they are one decision.
    #[pyo3(signature = (name, args=None, *, agent=None, batch=None))]
    fn before(
        &self,
        py: Python<'_>,
        name: &Bound<'_, PyAny>,
        args: Option<&Bound<'_, PyAny>>,
        agent: Option<&Bound<'_, PyAny>>,
        batch: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PythonCallRuling> {
        let ToolCall { call, bytes } = ToolCall::read(name, args, agent, batch)?;
        Ok(self.0.before(py, &call, bytes)?.into())
    }

    /// Reports a call that was made, and what came of it. Returns the advice for the agent.
    ///
    /// `error` is True, a message or an exception if the call failed, and False if it is known to have succeeded. `denied` is
    /// `user` or `policy` if somebody else refused the call.
    #[pyo3(signature = (name, args=None, outcome=None, error=None, usage=None, *, exit=None, denied=None, agent=None, batch=None))]
    #[allow(clippy::too_many_arguments, reason = "they have names in Python")]
    fn after(
        &self,
        py: Python<'_>,
        name: &Bound<'_, PyAny>,
        args: Option<&Bound<'_, PyAny>>,
        outcome: Option<&Bound<'_, PyAny>>,
        error: Option<&Bound<'_, PyAny>>,
        usage: Option<&Bound<'_, PyAny>>,
        exit: Option<i64>,
        denied: Option<&str>,
        agent: Option<&Bound<'_, PyAny>>,
        batch: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<PythonAdvice>> {
        let ToolCall { call, bytes } = ToolCall::read(name, args, agent, batch)?;
        let outcome = read_outcome(outcome, error, exit, denied)?;
        let text = outcome.as_ref().and_then(|outcome| outcome.text.as_ref());
        let bytes = bytes + text.map_or(0, |text| text.len());
        let advice = self.0.after(py, &call, outcome.as_ref(), read_usage(usage)?, bytes)?;
        Ok(advice.into_iter().map(PythonAdvice).collect())
    }

    /// Reports a message of the user. It ends streaks of repetition, and the end of the run.
    #[pyo3(signature = (text=None))]
    fn user(&self, py: Python<'_>, text: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<PythonAdvice>> {
        let text = text.filter(|text| !text.is_none()).map(lenient_text);
        let advice = self.0.user(py, text.as_deref().unwrap_or(UNKNOWN_MESSAGE))?;
        Ok(advice.into_iter().map(PythonAdvice).collect())
    }

    /// Reports a message of the agent. Returns the advice for the agent.
    #[pyo3(signature = (text, *, agent=None))]
    fn text(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        agent: Option<&str>,
    ) -> PyResult<Vec<PythonAdvice>> {
        let advice = self.0.say(py, &lenient_text(text), agent)?;
        Ok(advice.into_iter().map(PythonAdvice).collect())
    }

    /// Reports that the conversation was compacted: the agent may do again what it no longer remembers.
    fn compacted(&self, py: Python<'_>) -> PyResult<Vec<PythonAdvice>> {
        Ok(self.0.compacted(py)?.into_iter().map(PythonAdvice).collect())
    }

    /// Reports that a harness sent the agent on without a word of the user.
    fn continued(&self, py: Python<'_>) -> PyResult<Vec<PythonAdvice>> {
        Ok(self.0.continued(py)?.into_iter().map(PythonAdvice).collect())
    }

    /// The end of the run as an exception to raise, or None. It stays until the user speaks.
    #[getter]
    fn stopped<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.0.stopped(py)?.map(|stop| loop_stopped(py, &self.0.id, &stop)).transpose()
    }

    /// Returns the state of the run as a text, to be stored.
    fn snapshot(&self, py: Python<'_>) -> PyResult<String> {
        self.0.snapshot(py)
    }

    /// Creates a run in memory that continues where the snapshot was taken.
    #[classmethod]
    #[pyo3(signature = (text, id=None, config=None))]
    fn restore(
        class: &Bound<'_, PyType>,
        text: &str,
        id: Option<&Bound<'_, PyAny>>,
        config: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let py = class.py();
        let id = match id {
            Some(id) => read_id(id)?,
            None => snapshot_id(py, text)?,
        };
        let keeper = RunKeeper::restore(py, id, read_optional_config(config)?, text)?;
        Ok(PythonRun(Arc::new(keeper)))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let (py, run) = (slf.py(), &slf.get().0);
        if let Some(store) = run.store() {
            let url = store.url().to_string();
            let parts = (&run.id, PythonConfig(run.config.clone()), url);
            return Ok((slf.get_type().into_any(), parts.into_pyobject(py)?.into_any()));
        }
        let parts = (run.snapshot(py)?, &run.id, PythonConfig(run.config.clone()));
        Ok((slf.get_type().getattr(intern!(py, "restore"))?, parts.into_pyobject(py)?.into_any()))
    }

    fn __repr__(&self) -> String {
        format!("Run({:?})", self.0.id)
    }
}

/// Stands for a message of the user whose text is not known. An empty message would be nobody's word.
const UNKNOWN_MESSAGE: &str = "(message of the user)";

/// Reads the id of a run: a text, or any value with a text.
pub(crate) fn read_id(id: &Bound<'_, PyAny>) -> PyResult<String> {
    let id = match id.cast::<PyString>() {
        Ok(text) => text.to_string_lossy().into_owned(),
        Err(_) if id.is_none() => return Err(PyTypeError::new_err("the id of a run must not be None")),
        Err(_) => id.str()?.to_string_lossy().into_owned(),
    };
    let id = id.trim();
    if id.is_empty() || id.len() > ID_BYTES || id.contains(['\n', '\r']) {
        return Err(PyValueError::new_err(format!(
            "invalid id of a run: use 1–{ID_BYTES} bytes on one line"
        )));
    }
    Ok(id.to_owned())
}

/// Reads the argument `store`.
pub(crate) fn read_store(store: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Arc<RunStore>>> {
    let Some(store) = store.filter(|store| !store.is_none()) else { return Ok(None) };
    let py = store.py();
    let failed = |error: &dyn std::fmt::Display| ErrorClass::Store.raise(py, error);
    if let Ok(flag) = store.cast::<PyBool>() {
        if !flag.is_true() {
            return Ok(None);
        }
        let path = default_path(|name| std::env::var_os(name));
        let path = path.ok_or_else(|| failed(&"no folder for the store: set HOME or XDG_STATE_HOME"))?;
        create_parent_folder(&path).map_err(|error| failed(&error))?;
        return Ok(Some(Arc::new(RunStore::new(path.into()))));
    }
    let url: StoreUrl = match store.cast::<PyString>() {
        Ok(text) => text.to_string_lossy().parse().map_err(|error| failed(&error))?,
        Err(_) => store.extract::<PathBuf>()?.into(),
    };
    create_parent_folder(url.as_path()).map_err(|error| failed(&error))?;
    Ok(Some(Arc::new(RunStore::new(url))))
}

/// Creates the exception `LoopStopped`.
fn loop_stopped<'py>(py: Python<'py>, run: &str, stop: &AgentStop) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let class = CLASS.import(py, "loopbreak._errors", "LoopStopped")?;
    class.call1((
        run,
        stop.pattern.as_str(),
        stop.since,
        stop.loop_id.to_string(),
        &stop.reason,
        json_value(py, &stop.evidence)?,
    ))
}

/// Returns the id in a snapshot.
fn snapshot_id(py: Python<'_>, text: &str) -> PyResult<String> {
    let value: serde_json::Value = serde_json::from_str(text)
        .map_err(|error| ErrorClass::Snapshot.raise(py, format!("cannot restore the run: {error}")))?;
    let id = value.pointer("/guard/state/run").and_then(serde_json::Value::as_str).unwrap_or_default();
    if id.is_empty() {
        let message = "cannot restore the run: the snapshot has no id, so give one";
        return Err(ErrorClass::Snapshot.raise(py, message));
    }
    Ok(id.to_owned())
}
