//! Steps in Python.

use std::borrow::Cow;

use loopbreak::Step;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyMapping, PyString, PyType};

use crate::json_input::strict_json;
use crate::json_output::parse_json;
use crate::python_error::ErrorClass;

/// One step of an agent. Create it from a dict with the keys of the step record, or read it from a log.
#[pyclass(frozen, eq, hash, module = "loopbreak", name = "Step")]
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct PythonStep {
    json: String,
}

#[pymethods]
impl PythonStep {
    /// Creates a step from a dict with the keys of the step record, or from its fields as keyword arguments.
    #[new]
    #[pyo3(signature = (record=None, /, **fields))]
    fn new(
        py: Python<'_>,
        record: Option<&Bound<'_, PyAny>>,
        fields: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let json = match (record, fields) {
            (Some(record), None) => step_json(record)?.into_owned(),
            (None, fields) => match fields {
                Some(fields) => strict_json(fields, "step")?,
                None => "{}".to_owned(),
            },
            (Some(record), Some(fields)) => {
                let record = step_json(record)?;
                let all = parse_json(py, &record)?;
                let all = all.cast_into::<PyDict>().map_err(|_| {
                    ErrorClass::Step.raise(py, "invalid step: expected an object with the parts of a step")
                })?;
                all.update(fields.as_mapping())?;
                strict_json(&all, "step")?
            }
        };
        let step = parse_step(py, &json)?;
        PythonStep::from_step(py, &step)
    }

    /// Creates a step from its JSON text.
    #[classmethod]
    fn from_json(class: &Bound<'_, PyType>, text: &str) -> PyResult<Self> {
        let step = parse_step(class.py(), text)?;
        PythonStep::from_step(class.py(), &step)
    }

    /// Returns the step as a dict.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        parse_json(py, &self.json)
    }

    /// Returns the step as JSON text.
    fn to_json(&self) -> &str {
        &self.json
    }

    /// Returns a part of the step, or None if it has no such part.
    fn __getattr__<'py>(slf: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        if !STEP_KEYS.contains(&name) {
            let message = format!("'Step' object has no attribute '{name}'");
            return Err(pyo3::exceptions::PyAttributeError::new_err(message));
        }
        let all = parse_json(py, &slf.get().json)?;
        Ok(all.cast::<PyDict>()?.get_item(name)?.unwrap_or_else(|| py.None().into_bound(py)))
    }

    /// Returns the names of all attributes, which are also the parts of a step.
    fn __dir__<'py>(slf: &Bound<'py, Self>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let class = slf.get_type();
        let names = slf.py().import("builtins")?.getattr("dir")?.call1((class,))?;
        let keys = STEP_KEYS.iter().map(|key| Ok(PyString::new(slf.py(), key).into_any()));
        names.try_iter()?.chain(keys).collect()
    }

    fn __repr__(&self) -> String {
        let shown = loopbreak::text::clip(&self.json, 200);
        let more = if shown.len() < self.json.len() { "…" } else { "" };
        format!("Step({shown}{more})")
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((slf.get_type().getattr("from_json")?, (slf.get().json.clone(),)))
    }
}

/// Keys of the step record.
const STEP_KEYS: [&str; 20] = [
    "run",
    "turn",
    "at",
    "agent",
    "model",
    "batch",
    "harness",
    "action",
    "outcome",
    "say",
    "user",
    "place",
    "destination",
    "score",
    "objectives",
    "task",
    "progress",
    "refused",
    "critic",
    "usage",
];

impl PythonStep {
    pub(crate) fn from_step(py: Python<'_>, step: &Step<'_>) -> PyResult<Self> {
        let json = serde_json::to_string(step).map_err(|error| ErrorClass::Step.raise(py, error))?;
        Ok(PythonStep { json })
    }

    /// Creates a step from the JSON of a valid one.
    pub(crate) fn from_text(json: String) -> Self {
        PythonStep { json }
    }

    /// Returns the JSON text.
    pub(crate) fn json(&self) -> &str {
        &self.json
    }
}

/// Returns the JSON text of a step or a proposal: a dict, a JSON text, or a step.
pub(crate) fn step_json<'v>(value: &'v Bound<'_, PyAny>) -> PyResult<Cow<'v, str>> {
    record_json(value, "step")
}

/// Does the same. `what` names the value in errors.
pub(crate) fn record_json<'v>(value: &'v Bound<'_, PyAny>, what: &str) -> PyResult<Cow<'v, str>> {
    let py = value.py();
    if let Ok(text) = value.cast::<PyString>() {
        return text.to_str().map(Cow::Borrowed).map_err(|_| {
            ErrorClass::Step
                .raise(py, format!("{what}: the text is not valid Unicode: it contains a lone surrogate"))
        });
    }
    if value.cast::<PyDict>().is_ok() {
        return strict_json(value, what).map(Cow::Owned);
    }
    if let Ok(step) = value.cast::<PythonStep>() {
        return Ok(Cow::Borrowed(step.get().json()));
    }
    let bytes = match value.cast::<PyBytes>() {
        Ok(bytes) => Some(Cow::Borrowed(bytes.as_bytes())),
        Err(_) => value.cast::<PyByteArray>().ok().map(|bytes| Cow::Owned(bytes.to_vec())),
    };
    let Some(bytes) = bytes else {
        if value.cast::<PyMapping>().is_ok() {
            return strict_json(value, what).map(Cow::Owned);
        }
        let name = value.get_type().qualname()?.to_string_lossy().into_owned();
        return Err(
            ErrorClass::Step.raise(py, format!("{what}: expected a dict, a JSON text or a Step, not {name}"))
        );
    };
    match String::from_utf8(bytes.into_owned()) {
        Ok(text) => Ok(Cow::Owned(text)),
        Err(_) => Err(ErrorClass::Step.raise(py, format!("{what}: the bytes are not UTF-8"))),
    }
}

/// Parses the JSON text of a step.
pub(crate) fn parse_step<'t>(py: Python<'_>, json: &'t str) -> PyResult<Step<'t>> {
    Step::from_json(json).map_err(|error| ErrorClass::Step.raise(py, format!("invalid step: {error}")))
}
