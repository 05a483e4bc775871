//! The reason why a line was skipped, as a message for the author of the log.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use loopbreak::Step;
use serde_json::value::RawValue;

use crate::line::LONGEST_LINE;

/// The reason why a line was skipped: the problem, its position in the line, and a hint if the fix is not obvious.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkipReason(Cow<'static, str>);

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl SkipReason {
    pub(crate) fn too_long(length: u64) -> Self {
        let (length, longest) = (length / (1024 * 1024), LONGEST_LINE / (1024 * 1024));
        SkipReason(
            format!("the line has {length} MB, the limit is {longest} MB; shorten long outputs").into(),
        )
    }

    pub(crate) fn not_utf8(line: &[u8]) -> Self {
        if line.contains(&0) {
            return SkipReason("not text: the line contains NUL bytes".into());
        }
        let valid = std::str::from_utf8(line).map_or_else(|error| error.valid_up_to(), str::len);
        SkipReason(format!("not UTF-8 at byte {}; write the log as UTF-8", valid + 1).into())
    }

    /// Creates a reason from a fixed text.
    pub(crate) fn new(words: &'static str) -> Self {
        SkipReason(words.into())
    }

    /// Adds the name of the file, for lines of a companion file.
    pub(crate) fn in_file(self, file: &str) -> Self {
        SkipReason(format!("in {file}: {self}").into())
    }

    /// Describes the problem with a record of a format other than the native one.
    pub(crate) fn malformed(text: &str, error: &serde_json::Error) -> Self {
        if !error.is_data() {
            return not_json(text, error, "not JSON");
        }
        SkipReason(format!("unexpected content: {} ({})", friendly(&what(error)), place(error)).into())
    }

    /// Describes the problem with a line that is not a step. Only runs for broken lines.
    pub(crate) fn not_a_step(line: &str, error: &serde_json::Error) -> Self {
        if error.is_data() { wrong_type(line, error) } else { not_json(line, error, NO_STEP) }
    }
}

/// The message for a line of a native log that does not look like a record at all.
const NO_STEP: &str = "not JSON: a step is one JSON object on one line";

fn not_json(line: &str, error: &serde_json::Error, otherwise: &'static str) -> SkipReason {
    let column = error.column();
    // The parser stops at the first byte, or at the second if the first could start another token.
    let begins = |word: &&&str| {
        let at = |back: usize| column.checked_sub(back).and_then(|at| line.as_bytes().get(at..));
        [1, 2].into_iter().filter_map(at).any(|rest| rest.starts_with(word.as_bytes()))
    };
    if let Some(word) = ["NaN", "nan", "Infinity", "inf"].iter().find(begins) {
        return SkipReason(
            format!(
                "not JSON: {word} is not a JSON number (column {column}); write null for a missing value"
            )
            .into(),
        );
    }
    if line.contains('\0') {
        return SkipReason("not text: the line contains NUL bytes".into());
    }
    if !line.trim_start().starts_with(['{', '['])
        || (otherwise == NO_STEP && !line.trim_start().starts_with('{'))
    {
        return SkipReason(otherwise.into());
    }
    if error.is_eof() {
        return SkipReason(
            format!(
                "not JSON: the text ends in the middle of a value ({}); it may be truncated",
                place(error)
            )
            .into(),
        );
    }
    SkipReason(format!("not JSON: {} ({})", what(error), place(error)).into())
}

/// Returns the position of an error. The line is included for documents only; otherwise the caller already knows it.
fn place(error: &serde_json::Error) -> String {
    match (error.line(), error.column()) {
        (0 | 1, column) => format!("column {column}"),
        (line, column) => format!("line {line}, column {column}"),
    }
}

fn wrong_type(line: &str, error: &serde_json::Error) -> SkipReason {
    let column = error.column();
    match culprit(line) {
        Some((path, error)) => {
            SkipReason(format!("{path}: {} (column {column})", friendly(&what(&error))).into())
        }
        None => SkipReason(format!("not a step: {}", friendly(&what(error))).into()),
    }
}

/// Returns the message of an error without the position in it.
fn what(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    text[..end].to_owned()
}

/// Finds the key whose value is wrong, as a path, by parsing each key alone.
fn culprit(line: &str) -> Option<(String, serde_json::Error)> {
    let keys: BTreeMap<String, &RawValue> = serde_json::from_str(line).ok()?;
    keys.iter().find_map(|(key, value)| {
        let error = alone(key, value.get())?;
        let inner: Option<BTreeMap<String, &RawValue>> = serde_json::from_str(value.get()).ok();
        let deeper = inner.iter().flatten().find_map(|(inner, value)| {
            let error = alone(key, &format!("{{{}:{}}}", quoted(inner), value.get()))?;
            // A key parsed alone may lack its neighbours, which is not the problem here.
            (!what(&error).starts_with("missing field")).then(|| (format!("{key}.{inner}"), error))
        });
        Some(deeper.unwrap_or_else(|| (key.clone(), error)))
    })
}

/// Returns the error of a record that consists of this one key.
fn alone(key: &str, value: &str) -> Option<serde_json::Error> {
    Step::from_json(&format!("{{{}:{value}}}", quoted(key))).err()
}

fn quoted(key: &str) -> String {
    serde_json::Value::from(key).to_string()
}

/// Rephrases a parser message: `invalid type: string "forty", expected f64` becomes `expected a number, found a
/// string`. The value itself is not repeated: it may be long, and it may be a secret.
fn friendly(message: &str) -> String {
    let Some(rest) =
        message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "))
    else {
        return match message.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`')) {
            Some(field) => format!("missing key {field}"),
            None => message.to_owned(),
        };
    };
    // The value found may contain anything, including ", expected "; the expectation may not.
    let (found, expected) = rest.rsplit_once(", expected ").unwrap_or((rest, "something else"));
    format!("expected {}, found {}", expected_in_words(expected), found_in_words(found))
}

fn expected_in_words(expected: &str) -> &str {
    match expected {
        "f64" | "f32" => "a number",
        "u64" | "u32" => "a whole number, 0 or more",
        "i64" | "i32" => "a whole number",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        _ if expected.starts_with("struct ") => "an object",
        _ => expected,
    }
}

fn found_in_words(found: &str) -> &str {
    match found.split([' ', '`']).next().unwrap_or_default() {
        "string" => "a string",
        "integer" if found.contains("`-") => "a number below 0",
        "integer" => "a whole number",
        "floating" => "a fraction",
        "boolean" => "true or false",
        "map" => "an object",
        "sequence" => "a list",
        "null" | "unit" => "null",
        _ => "something else",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(line: &str) -> String {
        SkipReason::not_a_step(line, &Step::from_json(line).unwrap_err()).to_string()
    }

    #[test]
    fn wrong_types_name_the_key_and_both_types() {
        for (line, expected) in [
            (r#"{"turn":1,"score":"forty"}"#, "score: expected a number, found a string (column 25)"),
            (
                r#"{"turn":-1}"#,
                "turn: expected a whole number, 0 or more, found a number below 0 (column 10)",
            ),
            (r#"{"turn":1.5}"#, "turn: expected a whole number, 0 or more, found a fraction (column 11)"),
            (
                r#"{"action":5}"#,
                "action: expected a string or an object with a name, found a whole number (column 11)",
            ),
            (r#"{"refused":"no"}"#, "refused: expected true or false, found a string (column 15)"),
            (
                r#"{"usage":{"input_tokens":"many"}}"#,
                "usage.input_tokens: expected a whole number, 0 or more, found a string (column 31)",
            ),
            (r#"{"usage":3}"#, "usage: expected an object, found a whole number (column 10)"),
            (
                r#"{"objectives":{"active":"x"}}"#,
                "objectives.active: expected a list, found a string (column 27)",
            ),
            (r#"{"task":{"status":"done"}}"#, "task: missing key id (column 25)"),
            (r#"{"score":", expected "}"#, "score: expected a number, found a string (column 22)"),
            (
                r#"{"at":"noon"}"#,
                "at: invalid time: use RFC 3339 such as 2025-11-04T09:35:24Z, or an integer in milliseconds since 1970 (column 12)",
            ),
        ] {
            assert_eq!(reason(line), expected, "{line}");
        }
    }

    #[test]
    fn reports_json_that_is_not_an_object() {
        assert_eq!(reason("[]"), "not a step: expected a step: one JSON object, found a list");
        assert_eq!(reason("3"), "not a step: expected a step: one JSON object, found a whole number");
    }

    #[test]
    fn reports_lines_that_are_not_json() {
        for (line, expected) in [
            ("Traceback (most recent call last):", "not JSON: a step is one JSON object on one line"),
            (
                r#"{"score":NaN}"#,
                "not JSON: NaN is not a JSON number (column 10); write null for a missing value",
            ),
            (
                r#"{"score":-Infinity}"#,
                "not JSON: Infinity is not a JSON number (column 11); write null for a missing value",
            ),
            (
                r#"{"score":nan}"#,
                "not JSON: nan is not a JSON number (column 11); write null for a missing value",
            ),
            (
                r#"{"score":4"#,
                "not JSON: the text ends in the middle of a value (column 10); it may be truncated",
            ),
            (r#"{"score":1e999}"#, "not JSON: number out of range (column 14)"),
            (r#"{"score" 4}"#, "not JSON: expected `:` (column 10)"),
        ] {
            assert_eq!(reason(line), expected, "{line}");
        }
    }

    #[test]
    fn a_reason_is_short_even_for_a_long_line() {
        let line = format!(r#"{{"score":"{}"}}"#, "x".repeat(1_000_000));
        assert!(reason(&line).len() < 200);
    }
}
