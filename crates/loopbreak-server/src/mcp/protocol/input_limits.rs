//! Limits of the input of clients.

use loopbreak_store::tasks::{TASK_ID_BYTES, is_task_id};
use serde_json::Value;

use super::ToolError;

/// Largest size of the arguments of a call, in bytes.
pub(crate) const MESSAGE_BYTES: usize = 4 * 1024 * 1024;
/// Longest line that is read from standard input, in bytes. Arguments between the two limits get an error
/// with the reason.
pub(crate) const LINE_BYTES: usize = 64 * 1024 * 1024;
/// Longest name of a run, in bytes.
const NAME_BYTES: usize = 200;

/// Checks that arguments are not too large.
pub(crate) fn check_size(arguments: &serde_json::Map<String, Value>) -> Result<(), ToolError> {
    let bytes = object_bytes(arguments);
    if bytes <= MESSAGE_BYTES {
        return Ok(());
    }
    Err(ToolError::new(
        format!("The arguments have {bytes} bytes; at most {MESSAGE_BYTES} are accepted"),
        "Shorten long texts such as outcomes: their beginning and end are enough",
    ))
}

/// Estimates the size of a value as JSON, in bytes.
fn bytes(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 4,
        Value::Number(_) => 8,
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(|item| bytes(item) + 1).sum::<usize>() + 2,
        Value::Object(object) => object_bytes(object),
    }
}

fn object_bytes(object: &serde_json::Map<String, Value>) -> usize {
    object.iter().map(|(key, value)| key.len() + 4 + bytes(value)).sum::<usize>() + 2
}

/// Checks the id of a task. The engine compares only this many bytes, so longer ids could be confused with
/// each other.
pub(crate) fn check_task_id(id: &str) -> Result<&str, ToolError> {
    let id = id.trim();
    if is_task_id(id) {
        return Ok(id);
    }
    Err(ToolError::new(
        format!("Invalid task id: use 1–{TASK_ID_BYTES} bytes on one line"),
        "Describe the task in `title` and `details`",
    ))
}

/// Checks the name of a run or another short text.
pub(crate) fn check_name<'n>(what: &str, name: &'n str) -> Result<&'n str, ToolError> {
    let name = name.trim();
    if name.is_empty() || name.len() > NAME_BYTES || name.chars().any(char::is_control) {
        return Err(ToolError::new(
            format!("Invalid {what}: use 1–{NAME_BYTES} bytes on one line"),
            "Nothing was recorded",
        ));
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn long_arguments_and_invalid_names_are_refused() {
        let object = |text: &str| json!({"say": [{"deep": text}]}).as_object().unwrap().clone();
        assert!(check_size(&object("short")).is_ok());
        let error = check_size(&object(&"x".repeat(MESSAGE_BYTES))).unwrap_err();
        assert!(error.text().contains("at most 4194304"), "{}", error.text());
        assert_eq!(check_name("run name", " a b "), Ok("a b"));
        for odd in ["", "  ", "a\nb", &"x".repeat(201)] {
            assert!(
                check_name("run name", odd)
                    .unwrap_err()
                    .text()
                    .starts_with("Invalid run name: use 1–200 bytes")
            );
        }
        assert_eq!(check_task_id(" a b "), Ok("a b"));
        for odd in ["", "  ", "a\nb", &"x".repeat(65), &"\"".repeat(33)] {
            assert!(check_task_id(odd).unwrap_err().text().contains("1–64 bytes"));
        }
    }
}
