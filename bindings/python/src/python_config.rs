//! Configurations in Python.

use std::path::PathBuf;

use loopbreak::{Config, Settings};
use loopbreak_config::{
    ConfigError, ConfigLayers, ConfigLoader, ConfigSource, LoadError, settings_json, user_config_path,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};

use crate::json_input::{dict_of, strict_json};
use crate::json_output::{json_text, json_value};
use crate::python_error::ErrorClass;

/// Checked settings of a guard. A config that exists is valid.
#[pyclass(frozen, eq, module = "loopbreak", name = "Config")]
#[derive(Debug)]
pub(crate) struct PythonConfig(pub(crate) Config);

impl PartialEq for PythonConfig {
    fn eq(&self, other: &Self) -> bool {
        *self.0 == *other.0
    }
}

#[pymethods]
impl PythonConfig {
    /// Creates a config from tables of options, as in `loopbreak.toml`: `Config(profile="coding", policy={"insist": 3})`.
    #[new]
    #[pyo3(signature = (options=None, /, **tables))]
    fn new(
        py: Python<'_>,
        options: Option<&Bound<'_, PyAny>>,
        tables: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let all = PyDict::new(py);
        let options = options.filter(|options| !options.is_none());
        let dict = options.map(dict_of).transpose()?.flatten();
        match (options, dict) {
            (None, _) => {}
            (_, Some(dict)) => all.update(dict.as_mapping())?,
            (Some(options), None) if tables.is_none() => return Ok(PythonConfig(read_config(options)?)),
            (Some(options), None) => {
                // The options of a file or another config, overridden by these.
                let base = json_value(py, &*read_config(options)?)?;
                all.update(base.cast::<PyDict>()?.as_mapping())?;
            }
        }
        if let Some(tables) = tables {
            merge(&all, tables)?;
        }
        Ok(PythonConfig(config_of_dict(&all)?))
    }

    /// Reads a config from a file, such as `loopbreak.toml` or `pyproject.toml`. No other layer counts.
    #[classmethod]
    #[pyo3(signature = (path, *, profile=None))]
    fn from_file(class: &Bound<'_, PyType>, path: PathBuf, profile: Option<&str>) -> PyResult<Self> {
        Ok(PythonConfig(config_of_file(class.py(), path, profile)?))
    }

    /// Returns all options as a dict.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json_value(py, &*self.0)
    }

    /// Returns all options as JSON text.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        json_text(py, &*self.0)
    }

    #[classmethod]
    #[pyo3(name = "_from_json")]
    fn from_json(class: &Bound<'_, PyType>, text: &str) -> PyResult<Self> {
        let invalid = |error: String| ErrorClass::Config.raise(class.py(), error);
        let settings: Settings = serde_json::from_str::<serde_json::Value>(text)
            .and_then(settings_json::from_value)
            .map_err(|error| invalid(error.to_string()))?;
        Config::new(settings).map(PythonConfig).map_err(|problems| invalid(problems.to_string()))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((slf.get_type().getattr("_from_json")?, (slf.get().to_json(slf.py())?,)))
    }

    fn __repr__(&self) -> String {
        format!("Config(profile={:?}, mode={:?})", self.0.profile.as_str(), self.0.mode.as_str())
    }
}

/// Loads the configuration as the command does: the user's file, the file of the folder or one above it, and the environment.
#[pyfunction]
#[pyo3(signature = (path=None, *, profile=None))]
pub(crate) fn load_config(
    py: Python<'_>,
    path: Option<PathBuf>,
    profile: Option<&str>,
) -> PyResult<PythonConfig> {
    let mut loader = ConfigLoader::new(".").user_file(user_config_path(|name| std::env::var_os(name)));
    loader = loader.process_environment(RESERVED_VARIABLES);
    if let Some(path) = path {
        loader = loader.file(path);
    }
    if let Some(profile) = profile {
        loader = loader.profile(profile);
    }
    let result = py.detach(|| loader.load());
    result.map(|found| PythonConfig(found.config)).map_err(|error| load_error(py, &error))
}

/// Variables that begin with `LOOPBREAK` and are not settings: those that Loopbreak sets for the commands it runs, and secrets.
const RESERVED_VARIABLES: &[&str] = &[
    "LOOPBREAK_RUN",
    "LOOPBREAK_REASON",
    "LOOPBREAK_DETECTOR",
    "LOOPBREAK_PATTERN",
    "LOOPBREAK_INTERVENTION",
    "LOOPBREAK_SOURCE",
    "LOOPBREAK_TURN",
    "LOOPBREAK_LOOP",
    "LOOPBREAK_TASK",
    "LOOPBREAK_TASK_TITLE",
    "LOOPBREAK_RESULT_FILE",
    "LOOPBREAK_TOKEN",
    "LOOPBREAK_API_KEY",
    "LOOPBREAK_HOOK_TIMEOUT",
];

/// Reads the argument `config` of guards and runs: None, a config, a dict, or the path of a file.
pub(crate) fn read_config(value: &Bound<'_, PyAny>) -> PyResult<Config> {
    if value.is_none() {
        return Ok(Config::default());
    }
    if let Ok(config) = value.cast::<PythonConfig>() {
        return Ok(config.get().0.clone());
    }
    if let Some(dict) = dict_of(value)? {
        return config_of_dict(&dict);
    }
    let Ok(path) = value.extract::<PathBuf>() else {
        let name = value.get_type().qualname()?.to_string_lossy().into_owned();
        return Err(ErrorClass::Config.raise(
            value.py(),
            format!("config must be a Config, a dict, the path of a file or None, not {name}"),
        ));
    };
    config_of_file(value.py(), path, None)
}

/// Does the same with an argument that may be left out.
pub(crate) fn read_optional_config(value: Option<&Bound<'_, PyAny>>) -> PyResult<Config> {
    value.map_or_else(|| Ok(Config::default()), read_config)
}

fn config_of_file(py: Python<'_>, path: PathBuf, profile: Option<&str>) -> PyResult<Config> {
    let mut loader = ConfigLoader::new(".").file(path);
    if let Some(profile) = profile {
        loader = loader.profile(profile);
    }
    let result = py.detach(|| loader.load());
    result.map(|found| found.config).map_err(|error| load_error(py, &error))
}

/// Adds tables to tables. Options of inner tables are merged.
fn merge(all: &Bound<'_, PyDict>, tables: &Bound<'_, PyDict>) -> PyResult<()> {
    for (key, value) in tables.iter() {
        let known = all.get_item(&key)?;
        match (known.as_ref().and_then(|known| known.cast::<PyDict>().ok()), value.cast::<PyDict>()) {
            (Some(known), Ok(table)) => {
                let merged = known.copy()?;
                merged.update(table.as_mapping())?;
                all.set_item(key, merged)?;
            }
            _ => all.set_item(key, value)?,
        }
    }
    Ok(())
}

fn config_of_dict(dict: &Bound<'_, PyDict>) -> PyResult<Config> {
    let py = dict.py();
    let json = strict_json(dict, "config").map_err(|error| ErrorClass::Config.raise(py, error.value(py)))?;
    let invalid = |error: &dyn std::fmt::Display| ErrorClass::Config.raise(py, format!("config: {error}"));
    let value: serde_json::Value = serde_json::from_str(&json).map_err(|error| invalid(&error))?;
    let text = toml::to_string(&without_nulls(value)).map_err(|error| invalid(&error))?;
    let layers = ConfigLayers::default().file(ConfigSource::new("config", text));
    layers.load().map(|loaded| loaded.config).map_err(|error| dict_error(py, &error))
}

/// Leaves out what is null: TOML has no such value, and an option that is absent has its default.
fn without_nulls(value: serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    match value {
        Value::Object(fields) => fields
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name, without_nulls(value)))
            .collect(),
        Value::Array(items) => items.into_iter().filter(|item| !item.is_null()).map(without_nulls).collect(),
        value => value,
    }
}

/// Reports the problems of a dict, which has no lines.
fn dict_error(py: Python<'_>, error: &ConfigError) -> PyErr {
    let lines = error.problems.iter().map(|problem| format!("config: {}; {}", problem.message, problem.hint));
    raise(py, &lines.collect::<Vec<_>>(), error)
}

fn load_error(py: Python<'_>, error: &LoadError) -> PyErr {
    match error {
        LoadError::Invalid { error, .. } => {
            let lines: Vec<String> = error.problems.iter().map(ToString::to_string).collect();
            raise(py, &lines, error)
        }
        error => ErrorClass::Config.raise(py, error),
    }
}

/// Raises the problems, with each of them as a dict in the attribute `problems`.
fn raise(py: Python<'_>, lines: &[String], error: &ConfigError) -> PyErr {
    let raised = ErrorClass::Config.raise(py, lines.join("\n"));
    let problems: Vec<serde_json::Value> = error
        .problems
        .iter()
        .map(|problem| {
            let location = problem.location();
            serde_json::json!({
                "message": problem.message,
                "hint": problem.hint,
                "option": problem.option,
                "line": location.map(|location| location.line),
                "column": location.map(|location| location.column),
            })
        })
        .collect();
    let name = PyString::new(py, "problems");
    if let Ok(problems) = json_value(py, &problems) {
        let _ = raised.value(py).setattr(name, problems);
    }
    raised
}
