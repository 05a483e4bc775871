//! What comes in is anybody's: how much of it is taken.

use loopbreak_store::tasks::{TASK_ID_BYTES, is_task_id};
use serde_json::Value;

use super::fault::Fault;

/// The most bytes that the arguments of a call may have.
pub(crate) const MESSAGE_BYTES: usize = 4 * 1024 * 1024;
/// A line on standard input that is longer than this is not read. What lies between the two gets an answer that says why.
pub(crate) const LINE_BYTES: usize = 64 * 1024 * 1024;
/// The longest name of a run.
const NAME_BYTES: usize = 200;

/// Whether arguments are small enough to be taken in.
pub(crate) fn check(arguments: &serde_json::Map<String, Value>) -> Result<(), Fault> {
    let bytes = object_bytes(arguments);
    if bytes <= MESSAGE_BYTES {
        return Ok(());
    }
    Err(Fault::new(
        format!("the arguments have {bytes} bytes, and at most {MESSAGE_BYTES} are taken"),
        "Shorten long texts, such as the outcome of a call; the beginning and the end of them are enough",
    ))
}

/// About how many bytes a value has as JSON, without writing it.
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

/// The id of a task, if it can be one. Longer ones would be told apart here, and taken for one task by the engine.
pub(crate) fn task(id: &str) -> Result<&str, Fault> {
    let id = id.trim();
    if is_task_id(id) {
        return Ok(id);
    }
    Err(Fault::new(
        "this is no id of a task",
        format!(
            "Give it 1 to {TASK_ID_BYTES} bytes on one line; what the task is about goes into `title` and `details`"
        ),
    ))
}

/// The name of a run, if it can be one.
pub(crate) fn name<'n>(what: &str, name: &'n str) -> Result<&'n str, Fault> {
    let name = name.trim();
    if name.is_empty() || name.len() > NAME_BYTES || name.chars().any(char::is_control) {
        return Err(Fault::new(
            format!("this is no name of a {what}"),
            format!("Give it 1 to {NAME_BYTES} bytes on one line"),
        ));
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn long_arguments_and_odd_names_are_refused_with_a_reason() {
        let object = |text: &str| json!({"say": [{"deep": text}]}).as_object().unwrap().clone();
        assert!(check(&object("short")).is_ok());
        let fault = check(&object(&"x".repeat(MESSAGE_BYTES))).unwrap_err();
        assert!(fault.text().contains("at most 4194304"), "{}", fault.text());
        assert_eq!(name("run", " a b "), Ok("a b"));
        for odd in ["", "  ", "a\nb", &"x".repeat(201)] {
            assert!(name("run", odd).unwrap_err().text().contains("name of a run"));
        }
        assert_eq!(task(" a b "), Ok("a b"));
        for odd in ["", "  ", "a\nb", &"x".repeat(65), &"\"".repeat(33)] {
            assert!(task(odd).unwrap_err().text().contains("1 to 64 bytes"));
        }
    }
}
