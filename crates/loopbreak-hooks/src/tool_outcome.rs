//! Parses the structured responses of tools.

use std::borrow::Cow;
use std::hash::Hasher as _;

use loopbreak::Outcome;
use loopbreak::text::head_and_tail;
use loopbreak_trace::unwrap_tool_text;
use serde_json::Value;

/// Longest response that is parsed, in bytes. A longer one is represented by its two ends, its length and a checksum.
const MAX_BYTES: usize = 256 * 1024;
const END_BYTES: usize = 32 * 1024;

/// Keys that hold the readable text of a response. The first one that is present counts.
const TEXT_KEYS: [&str; 5] = ["content", "text", "output", "llmContent", "result"];

/// Parses the response of a tool.
pub(crate) fn parse_outcome(json: &str) -> Outcome<'static> {
    if json.len() > MAX_BYTES {
        let mut sum = std::hash::DefaultHasher::new();
        sum.write(json.as_bytes());
        let ends = head_and_tail(json, END_BYTES);
        let text = format!("{ends}\n[{} bytes, sum {}]", json.len(), sum.finish() % 100_000);
        return Outcome::new(text);
    }
    let Ok(mut value) = serde_json::from_str::<Value>(json) else {
        return Outcome::new(json.to_owned());
    };
    let (error, exit) = (is_error(&value), exit_code(&value));
    remove_durations(&mut value);
    let text = readable_text(&value);
    let unwrapped = unwrap_tool_text(&text);
    let exit = exit.or(unwrapped.exit).or_else(|| stated_exit_code(&unwrapped.text));
    Outcome { error: error.then_some(true), exit, ..Outcome::new(unwrapped.text.into_owned()) }
}

/// Returns the exit code of a command that the response has as a number.
fn exit_code(value: &Value) -> Option<i64> {
    let metadata = value.get("metadata");
    let code = value.get("exit_code").or_else(|| value.get("exitCode"));
    let code = code.or_else(|| metadata?.get("exit_code")).or_else(|| metadata?.get("exit"));
    code.and_then(Value::as_i64)
}

/// Returns the exit code in the first line of a failure, as Claude Code gives it: `Exit code 2`.
fn stated_exit_code(text: &str) -> Option<i64> {
    text.lines().next()?.strip_prefix("Exit code ")?.trim().parse().ok()
}

fn is_error(value: &Value) -> bool {
    let is_set = |key: &str| match value.get(key) {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::String(text)) => !text.is_empty(),
        Some(_) => true,
    };
    ["isError", "is_error", "error"].into_iter().any(is_set) || exit_code(value).is_some_and(|code| code != 0)
}

/// Removes durations, which differ between otherwise identical responses.
fn remove_durations(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.retain(|key, _| !key.to_ascii_lowercase().contains("duration"));
            object.values_mut().for_each(remove_durations);
        }
        Value::Array(values) => values.iter_mut().for_each(remove_durations),
        _ => {}
    }
}

fn readable_text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => "".into(),
        Value::String(text) => text.as_str().into(),
        Value::Array(blocks)
            if blocks.iter().all(|block| block.get("text").is_some_and(Value::is_string)) =>
        {
            blocks.iter().map(readable_text).collect::<Vec<_>>().join("\n").into()
        }
        Value::Object(object) => {
            let text_of = |key| object.get(key).and_then(Value::as_str);
            if let Some(stdout) = text_of("stdout") {
                let stderr = text_of("stderr").unwrap_or_default();
                let separator = if stdout.is_empty() || stderr.is_empty() { "" } else { "\n" };
                return format!("{stdout}{separator}{stderr}").into();
            }
            let text = TEXT_KEYS.iter().find_map(|key| object.get(*key)).filter(|text| !text.is_object());
            text.map_or_else(|| value.to_string().into(), readable_text)
        }
        other => other.to_string().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_of_all_forms_become_a_text() {
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
            let outcome = parse_outcome(json);
            assert_eq!((outcome.text.as_deref(), outcome.is_error()), (Some(expected), error), "{json}");
        }
    }

    #[test]
    fn equal_results_of_commands_are_equal_and_have_an_exit_code() {
        let gemini = |group: u32| {
            let text = format!(
                "<untrusted_context>\nOutput: no such file\nExit Code: 2\nProcess Group PGID: {group}\n</untrusted_context>"
            );
            parse_outcome(&serde_json::json!({ "llmContent": text }).to_string())
        };
        let (first, second) = (gemini(26_923), gemini(26_950));
        assert_eq!((&first.text, first.exit), (&second.text, Some(2)));
        for (json, exit) in [
            (r#"{"output":"x","metadata":{"exit":1}}"#, Some(1)),
            (r#"{"exitCode":3,"stdout":"x"}"#, Some(3)),
            (r#""Exit code 101\nerror: test failed""#, Some(101)),
            (r#"{"stdout":"x","stderr":""}"#, None),
        ] {
            assert_eq!(parse_outcome(json).exit, exit, "{json}");
        }
    }

    #[test]
    fn a_huge_response_is_shortened_and_still_differs_from_another() {
        let huge = |middle: &str| {
            let side = "x".repeat(MAX_BYTES);
            parse_outcome(&format!("\"{side}{middle}{side}\"")).text.unwrap().into_owned()
        };
        assert!(huge("a").len() < 2 * END_BYTES + 100);
        assert_ne!(huge("a"), huge("b"));
    }
}
