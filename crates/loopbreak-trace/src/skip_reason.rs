//! Why a line was skipped, in words for whoever wrote the log.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use loopbreak::Step;
use serde_json::value::RawValue;

use crate::line::LONGEST_LINE;

/// Why a line was skipped: what is wrong, where in the line, and what to do where that is not plain.
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
        SkipReason(format!("a line of {length} MB, at most {longest} MB are read; cut long outputs").into())
    }

    pub(crate) fn not_utf8(line: &[u8]) -> Self {
        if line.contains(&0) {
            return SkipReason("not text: it holds NUL bytes".into());
        }
        let valid = std::str::from_utf8(line).map_or_else(|error| error.valid_up_to(), str::len);
        SkipReason(format!("not UTF-8 from byte {} on; write the log as UTF-8", valid + 1).into())
    }

    /// A reason in plain words.
    pub(crate) fn new(words: &'static str) -> Self {
        SkipReason(words.into())
    }

    /// The same, of a line in another file than the one that is named.
    pub(crate) fn in_file(self, file: &str) -> Self {
        SkipReason(format!("in {file}: {self}").into())
    }

    /// Says what is wrong with a record of another format than the native one.
    pub(crate) fn malformed(text: &str, error: &serde_json::Error) -> Self {
        if !error.is_data() {
            return not_json(text, error, "not JSON");
        }
        SkipReason(format!("not as expected: {} ({})", friendly(&what(error)), place(error)).into())
    }

    /// Says what is wrong with a line that is no step. Only a broken line pays for this.
    pub(crate) fn of(line: &str, error: &serde_json::Error) -> Self {
        if error.is_data() { wrong_type(line, error) } else { not_json(line, error, NO_STEP) }
    }
}

/// What is said of a line of a native log that does not even begin like a record.
const NO_STEP: &str = "not JSON: a step is one object in braces, on one line";

fn not_json(line: &str, error: &serde_json::Error, otherwise: &'static str) -> SkipReason {
    let column = error.column();
    // The parser gives up at the first byte, or at the second where the first could begin something else.
    let begins = |word: &&&str| {
        let at = |back: usize| column.checked_sub(back).and_then(|at| line.as_bytes().get(at..));
        [1, 2].into_iter().filter_map(at).any(|rest| rest.starts_with(word.as_bytes()))
    };
    if let Some(word) = ["NaN", "nan", "Infinity", "inf"].iter().find(begins) {
        return SkipReason(
            format!("not JSON: {word} is no JSON number (column {column}); write null where there is none")
                .into(),
        );
    }
    if line.contains('\0') {
        return SkipReason("not text: it holds NUL bytes".into());
    }
    if !line.trim_start().starts_with(['{', '['])
        || (otherwise == NO_STEP && !line.trim_start().starts_with('{'))
    {
        return SkipReason(otherwise.into());
    }
    if error.is_eof() {
        return SkipReason(
            format!("not JSON: it ends in the middle of a value ({}); was it cut off?", place(error)).into(),
        );
    }
    SkipReason(format!("not JSON: {} ({})", what(error), place(error)).into())
}

/// Where in the text it is. The line is told of documents only; of other texts it is known already.
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
        None => SkipReason(format!("no step: {}", friendly(&what(error))).into()),
    }
}

/// What an error says, without the place that it names.
fn what(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    text[..end].to_owned()
}

/// The key whose value is wrong, as a path, found by trying each by itself.
fn culprit(line: &str) -> Option<(String, serde_json::Error)> {
    let keys: BTreeMap<String, &RawValue> = serde_json::from_str(line).ok()?;
    keys.iter().find_map(|(key, value)| {
        let error = alone(key, value.get())?;
        let inner: Option<BTreeMap<String, &RawValue>> = serde_json::from_str(value.get()).ok();
        let deeper = inner.iter().flatten().find_map(|(inner, value)| {
            let error = alone(key, &format!("{{{}:{}}}", quoted(inner), value.get()))?;
            // By itself a key may lack its neighbours, which is not what was wrong.
            (!what(&error).starts_with("missing field")).then(|| (format!("{key}.{inner}"), error))
        });
        Some(deeper.unwrap_or_else(|| (key.clone(), error)))
    })
}

/// What is wrong with a record of this one key.
fn alone(key: &str, value: &str) -> Option<serde_json::Error> {
    Step::from_json(&format!("{{{}:{value}}}", quoted(key))).err()
}

fn quoted(key: &str) -> String {
    serde_json::Value::from(key).to_string()
}

/// The words of a parser, in those of a person: "invalid type: string "forty", expected f64" is "expected a number, found a
/// string". What stood there is not repeated: it may be long, and it may be a secret.
fn friendly(message: &str) -> String {
    let Some(rest) =
        message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "))
    else {
        return match message.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`')) {
            Some(field) => format!("it has no {field}"),
            None => message.to_owned(),
        };
    };
    // The value found may hold anything, "expected" included; what is expected may not.
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
        SkipReason::of(line, &Step::from_json(line).unwrap_err()).to_string()
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
            (r#"{"task":{"status":"done"}}"#, "task: it has no id (column 25)"),
            (r#"{"score":", expected "}"#, "score: expected a number, found a string (column 22)"),
            (
                r#"{"at":"noon"}"#,
                "at: not a time: write it like 2025-11-04T09:35:24Z, or as whole milliseconds since 1970 (column 12)",
            ),
        ] {
            assert_eq!(reason(line), expected, "{line}");
        }
    }

    #[test]
    fn what_is_no_object_is_told_so() {
        assert_eq!(reason("[]"), "no step: expected a step: one JSON object, found a list");
        assert_eq!(reason("3"), "no step: expected a step: one JSON object, found a whole number");
    }

    #[test]
    fn what_is_no_json_is_told_so() {
        for (line, expected) in [
            ("Traceback (most recent call last):", "not JSON: a step is one object in braces, on one line"),
            (
                r#"{"score":NaN}"#,
                "not JSON: NaN is no JSON number (column 10); write null where there is none",
            ),
            (
                r#"{"score":-Infinity}"#,
                "not JSON: Infinity is no JSON number (column 11); write null where there is none",
            ),
            (
                r#"{"score":nan}"#,
                "not JSON: nan is no JSON number (column 11); write null where there is none",
            ),
            (r#"{"score":4"#, "not JSON: it ends in the middle of a value (column 10); was it cut off?"),
            (r#"{"score":1e999}"#, "not JSON: number out of range (column 14)"),
            (r#"{"score" 4}"#, "not JSON: expected `:` (column 10)"),
        ] {
            assert_eq!(reason(line), expected, "{line}");
        }
    }

    #[test]
    fn a_reason_stays_short_whatever_the_line() {
        let line = format!(r#"{{"score":"{}"}}"#, "x".repeat(1_000_000));
        assert!(reason(&line).len() < 200);
    }
}
