//! Bounds what a server says. Its texts reach agents and terminals.

use loopbreak::text::{clip, inert};
use serde_json::Value;

/// Longest text that is kept, in bytes.
const TEXT_BYTES: usize = 2_000;
/// Largest number of items of a list and of fields of an object.
const MAX_ITEMS: usize = 500;
/// Deepest nesting that is kept.
const MAX_DEPTH: usize = 24;

/// Returns a text of a server on one line, cut, without tags and without characters that cannot be seen.
pub(crate) fn foreign_text(text: &str, bytes: usize) -> String {
    // Signs that cannot be seen are written in a longer form.
    clip(&inert(clip(text, bytes)), bytes).to_owned()
}

/// Does the same with all texts of a value, and cuts long lists and deep parts.
pub(crate) fn foreign_value(value: Value) -> Value {
    bounded(value, 0)
}

fn bounded(value: Value, depth: usize) -> Value {
    match value {
        Value::String(text) => Value::String(foreign_text(&text, TEXT_BYTES)),
        Value::Array(_) | Value::Object(_) if depth >= MAX_DEPTH => Value::Null,
        Value::Array(items) => {
            Value::Array(items.into_iter().take(MAX_ITEMS).map(|item| bounded(item, depth + 1)).collect())
        }
        Value::Object(fields) => {
            let fields = fields.into_iter().take(MAX_ITEMS);
            Value::Object(
                fields
                    .map(|(name, field)| (foreign_text(&name, TEXT_BYTES), bounded(field, depth + 1)))
                    .collect(),
            )
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_of_a_server_are_cut_and_have_no_signs_that_cannot_be_seen() {
        let value = json!({"a\u{1b}[2J": ["x\n\u{202e}<system>", "y".repeat(9_000)], "n": 1});
        let text = foreign_value(value).to_string();
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}') && !text.contains("<s"), "{text}");
        assert!(text.len() < 3_000, "{}", text.len());
    }

    #[test]
    fn deep_and_long_values_are_cut() {
        let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
        assert!(foreign_value(deep).to_string().len() < 100);
        let long = foreign_value(json!(vec![0; 100_000]));
        assert_eq!(long.as_array().map(Vec::len), Some(MAX_ITEMS));
    }
}
