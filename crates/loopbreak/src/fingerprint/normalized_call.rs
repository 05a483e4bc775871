//! The normal form of an action: name and arguments, hashed without a copy.

use super::normalized_json::{NormalizedJson, read_json};
use crate::memory::{HashKey, key_of_lower, key_of_parts};
use crate::step::Action;

/// An action in its normal form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NormalizedCall {
    pub(crate) key: HashKey,
    /// Key of the tool.
    pub(crate) tool: HashKey,
    /// The arguments in their normal form.
    pub(crate) args: NormalizedJson,
}

impl NormalizedCall {
    /// Normalizes an action. `volatile` names the arguments that the user declared as volatile.
    pub(crate) fn from_action(action: &Action<'_>, volatile: &[String]) -> Self {
        let args = action
            .args
            .as_ref()
            .map_or_else(NormalizedJson::default, |args| read_json(args.json(), volatile));
        let tool = key_of_lower(&action.name);
        NormalizedCall { key: key_of_parts(&[tool, args.key]), tool, args }
    }
}

/// Returns the tool of an action: its name without arguments, as in `click('a51')` and `click [51]`.
pub(crate) fn tool_name<'s>(action: &'s Action<'_>) -> &'s str {
    let name: &str = &action.name;
    let word =
        name.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'));
    let end = word.count();
    let carries = match name.as_bytes().get(end..) {
        Some([b'(', .., b')'] | [b' ', b'[', .., b']']) => end > 0,
        _ => false,
    };
    if carries { &name[..end] } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(json: &str) -> HashKey {
        NormalizedCall::from_action(&serde_json::from_str(json).unwrap(), &[]).key
    }

    #[test]
    fn key_order_white_space_and_quoting_are_ignored() {
        let plain = key(r#"{"name":"grep","args":{"pattern":"fn main","path":"src"}}"#);
        for same in [
            r#"{"name":"grep","args":{"path":"src","pattern":"fn main"}}"#,
            r#"{"name":"Grep","args":{ "path" : "src", "pattern":"fn  main " }}"#,
            r#"{"name":"grep","args":{"path":"src","pattern":"fn\tmain","glob":null}}"#,
        ] {
            assert_eq!(key(same), plain, "{same}");
        }
        assert_eq!(key(r#"{"name":"r","args":{"n":16}}"#), key(r#"{"name":"r","args":{"n":"16"}}"#));
        assert_eq!(key(r#"{"name":"r","args":"echo \"a\""}"#), key(r#"{"name":"r","args":"echo 'a'"}"#));
        assert_eq!(key(r#"{"name":"r","args":{}}"#), key(r#"{"name":"r"}"#));
        assert_eq!(key(r#"{"name":"r","args":""}"#), key(r#"{"name":"r"}"#));
    }

    #[test]
    fn different_calls_have_different_keys() {
        let all = [
            r#"{"name":"read","args":{"offset":40}}"#,
            r#"{"name":"read","args":{"offset":80}}"#,
            r#"{"name":"read","args":{"limit":40}}"#,
            r#"{"name":"write","args":{"offset":40}}"#,
            r#"{"name":"read","args":[1,2]}"#,
            r#"{"name":"read","args":[2,1]}"#,
            r#"{"name":"read","args":{"a":{"b":"c"}}}"#,
            r#"{"name":"read","args":{"a":"b","c":"d"}}"#,
            r#"{"name":"read","args":{"a":"d","c":"b"}}"#,
            r#"{"name":"read"}"#,
        ];
        for (index, left) in all.iter().enumerate() {
            for right in &all[index + 1..] {
                assert_ne!(key(left), key(right), "{left} {right}");
            }
        }
    }

    #[test]
    fn the_tool_of_a_call_in_one_text_is_its_first_word() {
        for (name, tool) in [
            ("click('a51')", "click"),
            ("fill('130', 'red shoes')", "fill"),
            ("type [130] [red shoes] [1]", "type"),
            ("browser.scroll(0, 200)", "browser.scroll"),
            ("open mailbox", "open mailbox"),
            ("north", "north"),
            ("(sigh)", "(sigh)"),
            ("ask thorin (again)", "ask thorin (again)"),
        ] {
            assert_eq!(tool_name(&Action::new(name)), tool);
        }
    }
}
