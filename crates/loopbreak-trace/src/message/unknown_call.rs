//! Items that look like calls or results, in a shape that a reader does not know.

use loopbreak::step::StepText;
use serde::Deserialize;
use serde::de::IgnoredAny;

/// The keys by which frameworks mark calls and results.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CallKeys<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<TypeName<'a>>,
    #[serde(alias = "callId", alias = "toolCallId", alias = "tool_call_id", alias = "tool_use_id")]
    call_id: Option<IgnoredAny>,
    #[serde(alias = "function_call", alias = "functionCall", alias = "toolCalls", alias = "tool_use")]
    tool_calls: Option<IgnoredAny>,
}

/// The type of an item; a value that is not a text is ignored.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum TypeName<'a> {
    Text(#[serde(borrow)] StepText<'a>),
    Other(IgnoredAny),
}

/// Returns the kind of an item if it looks like a call or the result of one. It has no kind if it has no type.
pub(crate) fn unknown_call(json: &str) -> Option<String> {
    let keys: CallKeys<'_> = serde_json::from_str(json).ok()?;
    let kind = match keys.kind {
        Some(TypeName::Text(kind)) => Some(kind),
        Some(TypeName::Other(_)) | None => None,
    };
    let is_marked = keys.call_id.is_some() || keys.tool_calls.is_some();
    let is_named = kind.as_deref().is_some_and(is_call_kind);
    (is_marked || is_named).then(|| kind.map(|kind| kind.0.into_owned()).unwrap_or_default())
}

/// Returns whether the name of a kind is that of a call or a result.
pub(crate) fn is_call_kind(kind: &str) -> bool {
    let kind = kind.to_ascii_lowercase();
    ["tool", "function", "_call", "-call"].iter().any(|word| kind.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_told_from_other_items() {
        for (json, expected) in [
            (r#"{"type":"function_call","call_id":"c1"}"#, Some("function_call")),
            (r#"{"type":"tool-call","toolCallId":"c1"}"#, Some("tool-call")),
            (r#"{"call_id":"c1","output":"x"}"#, Some("")),
            (r#"{"functionCall":{"name":"x"}}"#, Some("")),
            (r#"{"type":"session","id":"x"}"#, None),
            (r#"{"meta":{"call_id":1}}"#, None),
            ("3", None),
        ] {
            assert_eq!(unknown_call(json).as_deref(), expected, "{json}");
        }
    }
}
