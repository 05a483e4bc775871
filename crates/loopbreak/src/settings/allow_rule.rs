//! Rules for actions that are never a loop.

use serde::{Deserialize, Serialize};

use crate::step::Action;
use crate::text::{clip, clip_masked};

/// Longest part of the arguments in a rule for one call, in bytes.
const ARGS_BYTES: usize = 400;

/// A rule for actions that are never a loop. `*` matches any text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct AllowRule {
    /// Name of the tool, or a pattern. Without it, every tool matches.
    pub tool: Option<String>,
    /// Pattern of the arguments as JSON text. Without it, all arguments match.
    pub args: Option<String>,
}

impl AllowRule {
    /// Returns the rule that covers this call and as few others as possible. A part of the arguments that is long or secret
    /// matches anything.
    pub fn of_call(action: &Action<'_>) -> Self {
        let args = action.args.as_ref().map(|args| {
            let json = args.json();
            let kept = clip(json, ARGS_BYTES);
            let masked = clip_masked(json, ARGS_BYTES);
            let same = kept.bytes().zip(masked.bytes()).take_while(|(one, other)| one == other).count();
            let same = if *masked == *kept { kept.len() } else { kept.floor_char_boundary(same) };
            if same == json.len() { json.to_owned() } else { format!("{}*", &kept[..same]) }
        });
        AllowRule { tool: Some(action.name.to_string()), args }
    }

    /// Returns whether the rule covers an action.
    pub fn covers(&self, action: &Action<'_>) -> bool {
        let covers = |pattern: &Option<String>, text: &str| {
            pattern.as_deref().is_none_or(|pattern| matches(pattern, text))
        };
        covers(&self.tool, &action.name)
            && covers(&self.args, action.args.as_ref().map_or("", |args| args.json()))
    }
}

/// Returns whether a text matches a pattern in which `*` matches any text. Linear in the text for each `*`.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_matches_any_text() {
        for (pattern, text, expected) in [
            ("bash", "bash", true),
            ("bash", "bash2", false),
            ("*job1*", r#"{"id":"job1"}"#, true),
            ("*job1*", r#"{"id":"job2"}"#, false),
            ("a*b*c", "a-b-b-c", true),
            ("a*a", "a", false),
            ("*", "", true),
            ("", "", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn a_rule_covers_by_tool_and_by_arguments() {
        let rule = AllowRule { tool: Some("bash_output".into()), args: Some("*job1*".into()) };
        let action = |json| serde_json::from_str::<Action<'_>>(json).unwrap();
        assert!(rule.covers(&action(r#"{"name":"bash_output","args":{"id":"job1"}}"#)));
        assert!(!rule.covers(&action(r#"{"name":"bash_output","args":{"id":"job2"}}"#)));
        assert!(!rule.covers(&action(r#"{"name":"bash","args":{"id":"job1"}}"#)));
    }
}
