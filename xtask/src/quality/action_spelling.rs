//! The same action in the spellings that harnesses log.

use serde_json::{Value, json};

use super::python_literal::parse_arguments;

/// A way to log an action. The verdict must not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ActionSpelling {
    /// One string, as the samples have it: `"click('a51')"`.
    Inline,
    /// The name, and the arguments as text: `{"name":"click","args":"'a51'"}`.
    Text,
    /// The name, and the arguments as a list: `{"name":"click","args":["a51"]}`.
    Array,
}

impl ActionSpelling {
    pub(super) const ALL: [ActionSpelling; 3] =
        [ActionSpelling::Inline, ActionSpelling::Text, ActionSpelling::Array];

    /// Returns the name of the folder for converted steps.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            ActionSpelling::Inline => "inline",
            ActionSpelling::Text => "text",
            ActionSpelling::Array => "array",
        }
    }

    /// Returns the title in tables.
    pub(super) fn title(self) -> &'static str {
        match self {
            ActionSpelling::Inline => "one string, as logged",
            ActionSpelling::Text => "name and text of arguments",
            ActionSpelling::Array => "name and list of arguments",
        }
    }

    /// Spells the action of a step. An action that is not a call is left as it is, and arguments that are not literals
    /// stay text.
    pub(super) fn spell(self, step: &mut Value) {
        let Some((name, args)) = step.get("action").and_then(Value::as_str).and_then(split_call) else {
            return;
        };
        let list = || parse_arguments(args).map(Value::Array);
        let args = match self {
            ActionSpelling::Inline => return,
            ActionSpelling::Text => json!(args),
            ActionSpelling::Array => list().unwrap_or_else(|| json!(args)),
        };
        let action = json!({"name": name, "args": args});
        step["action"] = action;
    }
}

/// Splits `click('a51')` into its name and the text of its arguments.
fn split_call(call: &str) -> Option<(&str, &str)> {
    let (name, rest) = call.split_once('(')?;
    let is_name = !name.is_empty() && name.chars().all(|char| char.is_ascii_alphabetic() || char == '_');
    let args = rest.strip_suffix('\n').unwrap_or(rest).strip_suffix(')')?;
    is_name.then_some((name, args))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(spelling: ActionSpelling, action: &str) -> Value {
        let mut step = json!({"run": "r", "action": action, "say": "so"});
        spelling.spell(&mut step);
        assert_eq!((&step["run"], &step["say"]), (&json!("r"), &json!("so")));
        step["action"].clone()
    }

    #[test]
    fn a_call_has_three_spellings() {
        let call = "fill('a51', 'it is (new)')";
        assert_eq!(spelled(ActionSpelling::Inline, call), json!(call));
        let text = json!({"name": "fill", "args": "'a51', 'it is (new)'"});
        assert_eq!(spelled(ActionSpelling::Text, call), text);
        let list = json!({"name": "fill", "args": ["a51", "it is (new)"]});
        assert_eq!(spelled(ActionSpelling::Array, call), list);
    }

    #[test]
    fn other_actions_keep_their_text() {
        assert_eq!(spelled(ActionSpelling::Text, "go_back()"), json!({"name": "go_back", "args": ""}));
        let keyword = "click('a', button='left')";
        let expected = json!({"name": "click", "args": "'a', button='left'"});
        assert_eq!(spelled(ActionSpelling::Array, keyword), expected);
        for action in ["north", "click 2 (times)", "a.b('c')", "click('a'"] {
            assert_eq!(spelled(ActionSpelling::Array, action), json!(action));
        }
    }
}
