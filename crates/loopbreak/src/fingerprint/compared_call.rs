//! The arguments of a call as its key sees them, for people.

use super::arguments::{fields, items, text};
use super::volatile_fields::{ArgumentRole, role_of_argument};
use crate::explain::LeftOutArgument;

/// Nesting limit. Deeper values are shown as they are.
const DEEPEST: usize = 64;

/// The arguments of a call as they are compared: two calls of a tool with the same text here have the same key.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ComparedCall {
    /// The arguments as JSON, in the order of their names. Empty if none is compared.
    pub(crate) args: String,
    pub(crate) left_out: Vec<LeftOutArgument>,
}

impl ComparedCall {
    /// Renders the arguments of a call, which are JSON. `volatile` names those that the user declared as volatile.
    pub(crate) fn from_args(json: &str, volatile: &[String]) -> Self {
        let json = json.trim();
        if !json.starts_with('{') {
            return ComparedCall { args: value_text(json, 0).unwrap_or_default(), left_out: Vec::new() };
        }
        let mut call = KeptArguments::default();
        for (name, value) in fields(json) {
            let Some(value) = value_text(value, 1) else { continue };
            let declared = volatile.iter().any(|known| *known == *name);
            let role = if declared { ArgumentRole::Volatile } else { role_of_argument(name.as_bytes()) };
            call.has_command |= role == ArgumentRole::Command;
            call.all.push((name.into_owned(), value, role, declared));
        }
        call.all.sort_by(|(left, ..), (right, ..)| left.cmp(right));
        call.finish()
    }
}

/// The arguments of a call that are not empty.
#[derive(Default)]
struct KeptArguments {
    all: Vec<(String, String, ArgumentRole, bool)>,
    has_command: bool,
}

impl KeptArguments {
    fn finish(self) -> ComparedCall {
        let is_content = |role: ArgumentRole| match role {
            ArgumentRole::Content | ArgumentRole::Command => true,
            ArgumentRole::CommandLabel => !self.has_command,
            ArgumentRole::Explanation | ArgumentRole::Volatile => false,
        };
        // A call that consists of its explanation, such as a thought, is told by it.
        let only_explains = !self.all.iter().any(|(_, _, role, _)| is_content(*role));
        let (mut kept, mut left_out) = (Vec::new(), Vec::new());
        for (name, value, role, declared) in &self.all {
            let keeps = is_content(*role) || only_explains && *role == ArgumentRole::Explanation;
            if keeps {
                kept.push(format!("{}:{value}", serde_json::Value::from(name.as_str())));
                continue;
            }
            let reason = match role {
                _ if *declared => "declared as volatile",
                ArgumentRole::Volatile => "numbers or dates the call",
                _ => "only explains the call",
            };
            left_out.push(LeftOutArgument::new(name.clone(), reason));
        }
        let args = if kept.is_empty() { String::new() } else { format!("{{{}}}", kept.join(",")) };
        ComparedCall { args, left_out }
    }
}

/// Returns a JSON value without what makes no difference, or `None` if it counts as absent.
fn value_text(json: &str, depth: usize) -> Option<String> {
    let json = json.trim();
    match json.as_bytes().first()? {
        b'"' => {
            let words = plain_words(&text(json).unwrap_or_default());
            (!words.is_empty()).then(|| serde_json::Value::from(words).to_string())
        }
        b'{' if depth < DEEPEST => {
            let parts = fields(json).filter_map(|(name, value)| {
                let value = value_text(value, depth + 1)?;
                Some(format!("{}:{value}", serde_json::Value::from(&*name)))
            });
            let mut parts: Vec<String> = parts.collect();
            parts.sort();
            (!parts.is_empty()).then(|| format!("{{{}}}", parts.join(",")))
        }
        b'[' if depth < DEEPEST => {
            let parts =
                items(json).map(|item| value_text(item, depth + 1).unwrap_or_else(|| "null".to_owned()));
            let parts: Vec<String> = parts.collect();
            (!parts.is_empty()).then(|| format!("[{}]", parts.join(",")))
        }
        _ => (json != "null").then(|| json.to_owned()),
    }
}

/// Returns a text with one kind of quote and single spaces.
fn plain_words(text: &str) -> String {
    text.replace('"', "'").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::normalized_json::read_json;
    use super::*;

    fn shown(json: &str) -> (String, Vec<String>) {
        let call = ComparedCall::from_args(json, &["seed".to_owned()]);
        (call.args, call.left_out.into_iter().map(|left| format!("{}: {}", left.name, left.reason)).collect())
    }

    #[test]
    fn arguments_are_shown_as_they_are_compared() {
        for (json, args, left_out) in [
            (r#"{"b":1, "a":"x  y"}"#, r#"{"a":"x y","b":1}"#, &[][..]),
            (
                r#"{"command":"echo \"a\"","description":"say a"}"#,
                r#"{"command":"echo 'a'"}"#,
                &["description: only explains the call"],
            ),
            (r#"{"path":"a","request_id":7}"#, r#"{"path":"a"}"#, &["request_id: numbers or dates the call"]),
            (r#"{"path":"a","seed":7}"#, r#"{"path":"a"}"#, &["seed: declared as volatile"]),
            (r#"{"description":"a thought"}"#, r#"{"description":"a thought"}"#, &[]),
            (r#"{"thought":"so"}"#, r#"{"thought":"so"}"#, &[]),
            (r#"{"a":null,"b":"","c":{}}"#, "", &[]),
            (r#"["a", {"z":1,"y":[ 2 ]}]"#, r#"["a",{"y":[2],"z":1}]"#, &[]),
            ("{}", "", &[]),
            ("null", "", &[]),
        ] {
            let expected: Vec<String> = left_out.iter().map(|text| (*text).to_owned()).collect();
            assert_eq!(shown(json), (args.to_owned(), expected), "{json}");
        }
    }

    fn arguments() -> impl Strategy<Value = String> {
        let name = "(command|path|description|request_id|thought|n)";
        let value =
            prop_oneof!["\"[ab]{0,1} {0,2}[ab]?\"", "[0-2]", "null", "\\[[12]?\\]", "\\{\"x\":[12]\\}",];
        prop::collection::btree_map(name, value, 0..4).prop_map(|fields| {
            let fields: Vec<String> =
                fields.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
            format!("{{{}}}", fields.join(" , "))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// The text is what the key is made of, so that it explains why two calls are equal or not.
        #[test]
        fn equal_texts_have_equal_keys_and_different_texts_different_ones(left in arguments(), right in arguments()) {
            let text = |json: &str| ComparedCall::from_args(json, &[]).args;
            let key = |json: &str| read_json(json, &[]).key;
            prop_assert_eq!(text(&left) == text(&right), key(&left) == key(&right), "{} {}", left, right);
        }

        #[test]
        fn no_text_makes_it_panic(json in "[{\\[\\]}\",:\\\\ a1]{0,40}") {
            ComparedCall::from_args(&json, &[]);
        }
    }
}
