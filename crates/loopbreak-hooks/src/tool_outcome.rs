//! What came of a call: from the structured answers of tools to an outcome.

use std::borrow::Cow;
use std::hash::Hasher as _;

use loopbreak::Outcome;
use loopbreak::text::head_and_tail;
use serde_json::Value;
use serde_json::value::RawValue;

/// An answer of more bytes is not taken apart: its two ends, its length and a sum stand for it.
const LONGEST: usize = 256 * 1024;
const ENDS: usize = 32 * 1024;

/// The keys under which tools say what a reader wants to see, the first that is there.
const TEXTS: [&str; 5] = ["content", "text", "output", "llmContent", "result"];

/// The outcome of a call that was carried out.
pub(crate) fn outcome(json: &str) -> Outcome<'static> {
    if json.len() > LONGEST {
        let mut sum = std::hash::DefaultHasher::new();
        sum.write(json.as_bytes());
        let ends = head_and_tail(json, ENDS);
        let text = format!("{ends}\n[{} bytes, sum {}]", json.len(), sum.finish() % 100_000);
        return Outcome { text: Some(text.into()), error: false };
    }
    let Ok(mut value) = serde_json::from_str::<Value>(json) else {
        return Outcome { text: Some(json.to_owned().into()), error: false };
    };
    let error = is_error(&value);
    forget_durations(&mut value);
    Outcome { text: Some(text(&value).into_owned().into()), error }
}

/// What a value says to a reader.
pub(crate) fn text_of(json: &RawValue) -> String {
    outcome(json.get()).text.unwrap_or_default().into_owned().to_string()
}

/// The outcome of a call that failed.
pub(crate) fn failure(json: Option<&str>) -> Outcome<'static> {
    Outcome { error: true, ..json.map(outcome).unwrap_or_default() }
}

fn is_error(value: &Value) -> bool {
    let set = |key: &str| match value.get(key) {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::String(text)) => !text.is_empty(),
        Some(_) => true,
    };
    let code = value.get("exit_code").or_else(|| value.get("metadata")?.get("exit_code"));
    ["isError", "is_error", "error"].into_iter().any(set) || code.is_some_and(|code| *code != 0)
}

/// How long it took is never the same, and says nothing.
fn forget_durations(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.retain(|key, _| !key.to_ascii_lowercase().contains("duration"));
            object.values_mut().for_each(forget_durations);
        }
        Value::Array(values) => values.iter_mut().for_each(forget_durations),
        _ => {}
    }
}

fn text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => "".into(),
        Value::String(text) => text.as_str().into(),
        Value::Array(blocks)
            if blocks.iter().all(|block| block.get("text").is_some_and(Value::is_string)) =>
        {
            blocks.iter().map(text).collect::<Vec<_>>().join("\n").into()
        }
        Value::Object(object) => {
            let part = |key| object.get(key).and_then(Value::as_str);
            if let Some(out) = part("stdout") {
                let error = part("stderr").unwrap_or_default();
                let between = if out.is_empty() || error.is_empty() { "" } else { "\n" };
                return format!("{out}{between}{error}").into();
            }
            let said = TEXTS.iter().find_map(|key| object.get(*key)).filter(|said| !said.is_object());
            said.map_or_else(|| value.to_string().into(), text)
        }
        other => other.to_string().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tools_answer_is_read_in_all_its_forms() {
        for (json, expected, error) in [
            (r#""plain""#, "plain", false),
            ("null", "", false),
            (r#"{"stdout":"a","stderr":"b","interrupted":false}"#, "a\nb", false),
            (r#"{"stdout":"","stderr":"b"}"#, "b", false),
            (r#"[{"type":"text","text":"a"},{"type":"text","text":"b"}]"#, "a\nb", false),
            (r#"{"content":[{"type":"text","text":"no"}],"isError":true}"#, "no", true),
            (r#"{"output":"x","metadata":{"exit_code":1,"duration_seconds":0.3}}"#, "x", true),
            (r#"{"llmContent":"x","error":{"message":"y"}}"#, "x", true),
            (r#"{"filenames":["a"],"durationMs":12}"#, r#"{"filenames":["a"]}"#, false),
            ("not json", "not json", false),
        ] {
            let outcome = outcome(json);
            assert_eq!((outcome.text.as_deref(), outcome.error), (Some(expected), error), "{json}");
        }
    }

    #[test]
    fn a_huge_answer_is_cut_and_still_told_from_another() {
        let huge = |middle: &str| {
            let side = "x".repeat(LONGEST);
            outcome(&format!("\"{side}{middle}{side}\"")).text.unwrap().into_owned()
        };
        assert!(huge("a").len() < 2 * ENDS + 100);
        assert_ne!(huge("a"), huge("b"));
    }
}
