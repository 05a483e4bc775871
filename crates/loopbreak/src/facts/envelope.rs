//! The message in a JSON envelope, as some agents print the result of a whole iteration.

use std::borrow::Cow;

use serde_json::Value;

/// Names of the field that holds the message, the most specific first.
const MESSAGES: [&str; 7] = ["result", "response", "output", "final_output", "message", "content", "text"];

/// Returns the message of an output: the field of a JSON object, or of the object on the last line of a stream of them. Any
/// other output is the message itself.
pub(crate) fn message_of(output: &str) -> Cow<'_, str> {
    let trimmed = output.trim();
    if !trimmed.starts_with('{') || !trimmed.ends_with('}') {
        return Cow::Borrowed(output);
    }
    let last = trimmed.rsplit('\n').next().unwrap_or(trimmed);
    let message = in_envelope(trimmed).or_else(|| in_envelope(last));
    message.map_or(Cow::Borrowed(output), Cow::Owned)
}

fn in_envelope(json: &str) -> Option<String> {
    let Ok(Value::Object(mut fields)) = serde_json::from_str(json) else { return None };
    let name = MESSAGES.iter().find(|name| fields.get(**name).is_some_and(Value::is_string))?;
    match fields.remove(*name) {
        Some(Value::String(text)) if !text.trim().is_empty() => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_of_an_envelope_is_its_result() {
        let envelope = r#"{"type":"result","duration_ms":41,"session_id":"4c","result":"Fixed auth.ts"}"#;
        assert_eq!(message_of(envelope), "Fixed auth.ts");
        assert_eq!(message_of(&format!("{{\"type\":\"system\"}}\n{envelope}\n")), "Fixed auth.ts");
        for plain in ["Fixed auth.ts", "{not json}", r#"{"passed":3}"#, ""] {
            assert_eq!(message_of(plain), plain);
        }
    }
}
