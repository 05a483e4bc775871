//! Finds the texts of the guard in what reached a model, or in what a hook answered.

use serde_json::Value;

/// The beginning of every text of the guard.
const BEGINNING: &str = "Loop guard:";

/// The kind of a text of the guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GuardText {
    /// Advice to the agent.
    Advice,
    /// The refusal of a call.
    Refusal,
    /// The refusal of a call that was refused before.
    Insistence,
    /// The end of the session.
    Stop,
}

/// Beginnings after [`BEGINNING`]; any other text is advice.
const KINDS: [(&str, GuardText); 5] = [
    ("refused", GuardText::Refusal),
    ("the agent insists", GuardText::Insistence),
    ("stopped", GuardText::Stop),
    ("the session is over", GuardText::Stop),
    ("a human is needed", GuardText::Stop),
];

impl GuardText {
    /// Returns whether a call with this text as its result was not carried out.
    pub fn is_refusal(self) -> bool {
        self != GuardText::Advice
    }
}

/// Lists the texts of the guard in a text.
pub fn guard_texts(text: &str) -> Vec<GuardText> {
    let found = text.match_indices(BEGINNING).map(|(at, _)| text[at + BEGINNING.len()..].trim_start());
    found
        .map(|rest| {
            KINDS.iter().find(|(start, _)| rest.starts_with(start)).map_or(GuardText::Advice, |kind| kind.1)
        })
        .collect()
}

/// Lists the texts of the guard in all strings of a JSON value.
pub fn guard_texts_in(value: &Value) -> Vec<GuardText> {
    match value {
        Value::String(text) => guard_texts(text),
        Value::Array(values) => values.iter().flat_map(guard_texts_in).collect(),
        Value::Object(fields) => fields.values().flat_map(guard_texts_in).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_of_the_guard_are_told_apart_by_their_beginning() {
        let body = json!({"messages": [
            {"content": "PreToolUse:Bash hook error: Loop guard: refused: ls"},
            {"content": [{"text": "x\n\nLoop guard: since turn 2: the same call.\nLoop guard: stopped: 5 of 5"}]},
            {"content": "Loop guard: the agent insists on a refused call: ls"},
        ]});
        let expected = [GuardText::Refusal, GuardText::Advice, GuardText::Stop, GuardText::Insistence];
        assert_eq!(guard_texts_in(&body), expected);
        assert!(!GuardText::Advice.is_refusal() && GuardText::Stop.is_refusal());
    }
}
