//! Python values as JSON text.

use std::fmt::Write as _;

use pyo3::exceptions::PyUnicodeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PyMapping, PySet, PyString,
    PyTuple,
};

use crate::python_error::ErrorClass;

/// Largest JSON text of one step, in bytes.
const MAX_BYTES: usize = 64 * 1024 * 1024;
/// Deepest nesting. The parser of the engine allows a little more.
const MAX_DEPTH: usize = 100;
/// Longest Python text that stands for an object, in bytes.
const OBJECT_BYTES: usize = 64 * 1024;

/// Returns the JSON text of a value that consists of JSON types. Anything else is an error that names its place.
pub(crate) fn strict_json(value: &Bound<'_, PyAny>, what: &str) -> PyResult<String> {
    let mut writer = JsonWriter { text: String::with_capacity(256), lenient: false };
    match writer.write(value, 0) {
        Ok(()) => Ok(writer.text),
        Err(WriteError::Python(error)) => Err(error),
        Err(WriteError::Value { mut path, problem }) => {
            path.push(what.to_owned());
            path.reverse();
            Err(ErrorClass::Step.raise(value.py(), format!("{}: {problem}", path.join("."))))
        }
    }
}

/// Returns the JSON text of any value: what JSON does not know becomes a text. Returns `None` if the text would be too long.
pub(crate) fn lenient_json(value: &Bound<'_, PyAny>) -> Option<String> {
    let mut writer = JsonWriter { text: String::with_capacity(128), lenient: true };
    writer.write(value, 0).ok()?;
    Some(writer.text)
}

/// Returns the JSON text of any value. What JSON does not know becomes a text, and so does a value that is too large.
#[pyfunction]
pub(crate) fn plain_json(value: &Bound<'_, PyAny>) -> String {
    lenient_json(value).unwrap_or_else(|| serde_json::Value::from(too_large(value)).to_string())
}

/// Returns any value as a text: a string as it is, bytes as UTF-8, other values as JSON.
pub(crate) fn lenient_text(value: &Bound<'_, PyAny>) -> String {
    if let Ok(text) = value.cast::<PyString>() {
        return text.to_string_lossy().into_owned();
    }
    if let Some(text) = bytes_text(value) {
        return text;
    }
    lenient_json(value).unwrap_or_else(|| too_large(value))
}

/// Returns the text that stands for a value that is too large. Its own text would be as large.
pub(crate) fn too_large(value: &Bound<'_, PyAny>) -> String {
    let name = value.get_type().name().map(|name| name.to_string_lossy().into_owned());
    format!("(a very large {})", name.unwrap_or_default())
}

struct JsonWriter {
    text: String,
    /// True if values that JSON does not know become texts.
    lenient: bool,
}

enum WriteError {
    Python(PyErr),
    Value {
        /// Keys from the value to the root.
        path: Vec<String>,
        problem: String,
    },
}

impl From<PyErr> for WriteError {
    fn from(error: PyErr) -> Self {
        WriteError::Python(error)
    }
}

fn problem(text: impl Into<String>) -> WriteError {
    WriteError::Value { path: Vec::new(), problem: text.into() }
}

fn too_many_bytes() -> WriteError {
    problem(format!("the value is too large: at most {MAX_BYTES} bytes of JSON are accepted"))
}

impl WriteError {
    fn at(self, key: impl FnOnce() -> String) -> Self {
        match self {
            WriteError::Value { mut path, problem } => {
                if path.len() < 8 {
                    path.push(key());
                }
                WriteError::Value { path, problem }
            }
            error @ WriteError::Python(_) => error,
        }
    }
}

impl JsonWriter {
    fn write(&mut self, value: &Bound<'_, PyAny>, depth: usize) -> Result<(), WriteError> {
        if self.text.len() > MAX_BYTES {
            return Err(too_many_bytes());
        }
        if depth > MAX_DEPTH {
            if self.lenient {
                self.text.push_str("\"…\"");
                return Ok(());
            }
            return Err(problem(format!(
                "nested more than {MAX_DEPTH} levels deep, or the value contains itself"
            )));
        }
        if let Ok(text) = value.cast::<PyString>() {
            return self.write_string(text);
        }
        if value.is_none() {
            self.text.push_str("null");
        } else if let Ok(flag) = value.cast::<PyBool>() {
            self.text.push_str(if flag.is_true() { "true" } else { "false" });
        } else if let Ok(number) = value.cast::<PyInt>() {
            self.write_int(number)?;
        } else if let Ok(number) = value.cast::<PyFloat>() {
            self.write_float(number.value())?;
        } else if let Ok(dict) = value.cast::<PyDict>() {
            self.write_dict(dict, depth)?;
        } else if let Ok(list) = value.cast::<PyList>() {
            self.write_items(list.iter(), depth)?;
        } else if let Ok(tuple) = value.cast::<PyTuple>() {
            self.write_items(tuple.iter(), depth)?;
        } else if let Some(dict) =
            dict_of(value).or_else(|error| if self.lenient { Ok(None) } else { Err(error) })?
        {
            self.write_dict(&dict, depth)?;
        } else if self.lenient {
            self.write_object(value, depth)?;
        } else {
            let name = value.get_type().qualname()?;
            let name = name.to_string_lossy().into_owned();
            return Err(problem(format!(
                "a value of type {name} is not JSON; use str, int, float, bool, None, dict or list"
            )));
        }
        Ok(())
    }

    fn write_string(&mut self, text: &Bound<'_, PyString>) -> Result<(), WriteError> {
        match text.to_str() {
            Ok(text) => self.push_string(text),
            Err(_) if self.lenient => self.push_string(&text.to_string_lossy()),
            Err(error) if error.is_instance_of::<PyUnicodeError>(text.py()) => {
                Err(problem("the text is not valid Unicode: it contains a lone surrogate"))
            }
            Err(error) => Err(error.into()),
        }
    }

    fn push_string(&mut self, text: &str) -> Result<(), WriteError> {
        self.text.reserve(text.len() + 2);
        self.text.push('"');
        let mut start = 0;
        for (at, byte) in text.bytes().enumerate() {
            if byte >= 0x20 && byte != b'"' && byte != b'\\' {
                continue;
            }
            self.text.push_str(&text[start..at]);
            start = at + 1;
            match byte {
                b'"' => self.text.push_str("\\\""),
                b'\\' => self.text.push_str("\\\\"),
                b'\n' => self.text.push_str("\\n"),
                b'\r' => self.text.push_str("\\r"),
                b'\t' => self.text.push_str("\\t"),
                0x08 => self.text.push_str("\\b"),
                0x0c => self.text.push_str("\\f"),
                _ => _ = write!(self.text, "\\u{byte:04x}"),
            }
            if self.text.len() > MAX_BYTES {
                return Err(too_many_bytes());
            }
        }
        self.text.push_str(&text[start..]);
        self.text.push('"');
        Ok(())
    }

    fn write_int(&mut self, number: &Bound<'_, PyInt>) -> Result<(), WriteError> {
        if let Ok(number) = number.extract::<i64>() {
            let _ = write!(self.text, "{number}");
            return Ok(());
        }
        if let Ok(number) = number.extract::<u64>() {
            let _ = write!(self.text, "{number}");
            return Ok(());
        }
        // `int.__repr__`: a subclass may have a text of its own, and very long numbers have none.
        let digits =
            number.py().get_type::<PyInt>().call_method1(intern!(number.py(), "__repr__"), (number,));
        match digits.and_then(|digits| digits.extract::<String>()) {
            Ok(digits) => self.text.push_str(&digits),
            Err(_) if self.lenient => self.text.push_str("\"a very large number\""),
            Err(_) => return Err(problem("the number has too many digits")),
        }
        Ok(())
    }

    fn write_float(&mut self, number: f64) -> Result<(), WriteError> {
        if !number.is_finite() {
            if self.lenient {
                let _ = write!(self.text, "\"{number}\"");
                return Ok(());
            }
            return Err(problem(format!("{number} is not a JSON number; leave it out")));
        }
        match serde_json::to_string(&number) {
            Ok(digits) => self.text.push_str(&digits),
            Err(error) => return Err(problem(error.to_string())),
        }
        Ok(())
    }

    fn write_dict(&mut self, dict: &Bound<'_, PyDict>, depth: usize) -> Result<(), WriteError> {
        self.text.push('{');
        let mut first = true;
        // A copy of the list of items: another thread may change the dictionary.
        for (key, value) in dict.iter() {
            if !std::mem::replace(&mut first, false) {
                self.text.push(',');
            }
            let name = match key.cast::<PyString>() {
                Ok(name) => name.clone(),
                Err(_) if self.lenient => key.str().unwrap_or_else(|_| PyString::new(key.py(), "?")),
                Err(_) => {
                    let shown = object_text(&key);
                    let shown: String = shown.chars().take(60).collect();
                    return Err(problem(format!("the key {shown} is not a string")));
                }
            };
            self.write_string(&name)?;
            self.text.push(':');
            self.write(&value, depth + 1)
                .map_err(|error| error.at(|| name.to_string_lossy().chars().take(60).collect()))?;
        }
        self.text.push('}');
        Ok(())
    }

    fn write_items<'py>(
        &mut self,
        items: impl Iterator<Item = Bound<'py, PyAny>>,
        depth: usize,
    ) -> Result<(), WriteError> {
        self.text.push('[');
        for (index, item) in items.enumerate() {
            if index > 0 {
                self.text.push(',');
            }
            self.write(&item, depth + 1).map_err(|error| error.at(|| index.to_string()))?;
        }
        self.text.push(']');
        Ok(())
    }

    /// Writes an object that JSON does not know: a set as a sorted list, a model or a data class as its fields, anything else as
    /// its text.
    fn write_object(&mut self, value: &Bound<'_, PyAny>, depth: usize) -> Result<(), WriteError> {
        if let Some(text) = bytes_text(value) {
            return self.push_string(&text);
        }
        if value.cast::<PySet>().is_ok() || value.cast::<PyFrozenSet>().is_ok() {
            let mut items: Vec<String> = Vec::new();
            let mut bytes = 0;
            for item in value.try_iter()? {
                let mut writer = JsonWriter { text: String::new(), lenient: true };
                writer.write(&item?, depth + 1)?;
                bytes += writer.text.len();
                if bytes > MAX_BYTES {
                    return Err(too_many_bytes());
                }
                items.push(writer.text);
            }
            items.sort_unstable();
            let _ = write!(self.text, "[{}]", items.join(","));
            return Ok(());
        }
        if let Some(fields) = fields_of(value) {
            return self.write_dict(&fields, depth + 1);
        }
        self.push_string(&object_text(value))
    }
}

/// Returns a mapping as a dict: a dict itself, or a copy of another mapping, such as `MappingProxyType`. Returns `None` for any
/// other value.
pub(crate) fn dict_of<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyDict>>> {
    if let Ok(dict) = value.cast::<PyDict>() {
        return Ok(Some(dict.clone()));
    }
    let Ok(mapping) = value.cast::<PyMapping>() else { return Ok(None) };
    let dict = PyDict::new(value.py());
    dict.update(mapping)?;
    Ok(Some(dict))
}

/// Returns the fields of a Pydantic model, a data class or another object that can be a dict.
fn fields_of<'py>(value: &Bound<'py, PyAny>) -> Option<Bound<'py, PyDict>> {
    let py = value.py();
    let class = value.get_type();
    if class.hasattr(intern!(py, "model_dump")).ok()? {
        return value.call_method0(intern!(py, "model_dump")).ok()?.cast_into::<PyDict>().ok();
    }
    if class.hasattr(intern!(py, "__dataclass_fields__")).ok()? {
        let names = class.getattr(intern!(py, "__dataclass_fields__")).ok()?;
        let fields = PyDict::new(py);
        for name in names.try_iter().ok()? {
            let name = name.ok()?;
            let name = name.cast::<PyString>().ok()?;
            if let Ok(field) = value.getattr(name) {
                fields.set_item(name, field).ok()?;
            }
        }
        return Some(fields);
    }
    // Tables have such a method too, but their text says enough and is short.
    if class.hasattr(intern!(py, "to_dict")).ok()? && !class.hasattr(intern!(py, "__array__")).ok()? {
        return value.call_method0(intern!(py, "to_dict")).ok()?.cast_into::<PyDict>().ok();
    }
    None
}

fn bytes_text(value: &Bound<'_, PyAny>) -> Option<String> {
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Some(String::from_utf8_lossy(bytes.as_bytes()).into_owned());
    }
    let bytes = value.cast::<PyByteArray>().ok()?;
    Some(String::from_utf8_lossy(&bytes.to_vec()).into_owned())
}

/// Returns the text of an object, or the name of its type if it has none.
fn object_text(value: &Bound<'_, PyAny>) -> String {
    let text = value.str().map(|text| text.to_string_lossy().into_owned());
    let mut text = text.unwrap_or_else(|_| {
        value.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string_lossy().into_owned())
    });
    text.truncate(text.floor_char_boundary(OBJECT_BYTES));
    text
}
