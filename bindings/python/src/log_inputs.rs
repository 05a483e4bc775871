//! The logs that a program names.

use std::path::PathBuf;

use loopbreak_trace::{InputSet, LogFormat, expand_paths};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// Reads the argument `paths`: one path or several.
pub(crate) fn read_paths(paths: &Bound<'_, PyAny>) -> PyResult<Vec<PathBuf>> {
    if let Ok(path) = paths.extract::<PathBuf>() {
        return Ok(vec![path]);
    }
    let is_text = paths.is_instance_of::<PyString>() || paths.is_instance_of::<PyBytes>();
    let items = paths.try_iter().ok().filter(|_| !is_text);
    let items = items.ok_or_else(|| PyTypeError::new_err("paths must be a path or a list of paths"))?;
    let all: Vec<PathBuf> = items.map(|item| item?.extract()).collect::<PyResult<_>>()?;
    if all.is_empty() {
        return Err(PyValueError::new_err("paths must not be empty"));
    }
    Ok(all)
}

/// Reads the argument `format`.
pub(crate) fn read_format(format: Option<&str>) -> PyResult<Option<LogFormat>> {
    let format = format
        .map(|name| name.parse::<LogFormat>().map_err(|error| PyValueError::new_err(error.to_string())));
    format.transpose()
}

/// Finds the logs below these paths. Standard input is a path for the command only.
pub(crate) fn find_logs(paths: Vec<PathBuf>) -> InputSet {
    let named =
        paths.into_iter().map(|path| if path.as_os_str() == "-" { PathBuf::from("./-") } else { path });
    expand_paths(named)
}
