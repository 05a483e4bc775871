//! The content of an edit: its file, the texts it replaces, and whether it changes anything.

use std::borrow::Cow;

use super::OutcomeOpening;
use super::arguments::{fields, items};
use crate::memory::{HashKey, key_of};
use crate::step::Action;
use crate::text::scan::trimmed;

/// Names of the arguments that hold a file path.
const PATHS: [&str; 8] =
    ["path", "file_path", "filePath", "file", "filename", "target_file", "notebook_path", "absolute_path"];

/// Pairs of arguments of which the first is replaced by the second, in addition to `old…` and `new…`.
const REPLACED: [(&str, &str); 4] =
    [("search", "replace"), ("find", "replace"), ("original", "modified"), ("before", "after")];

/// The arguments of an edit with their raw JSON values.
type EditArguments<'a> = Vec<(Cow<'a, str>, &'a str)>;

/// The change that the arguments of an edit describe.
#[derive(Clone, Debug, Default)]
pub(crate) struct EditChange<'a> {
    /// Key of the file path.
    pub(crate) path: Option<HashKey>,
    /// Replacements in the file.
    pub(crate) replaced: Vec<TextReplacement<'a>>,
}

/// A replaced text and its replacement, as raw JSON.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextReplacement<'a> {
    pub(crate) old: &'a str,
    pub(crate) new: &'a str,
}

impl<'a> EditChange<'a> {
    pub(crate) fn from_action(action: &'a Action<'_>) -> Self {
        let args = arguments(action);
        EditChange { path: file_of(action, args.iter().cloned()), replaced: replacements(&args) }
    }

    /// Returns whether the edit changes nothing: old and new texts are identical, or the reply says so.
    pub(crate) fn is_none(&self, opening: Option<&OutcomeOpening<'_>>) -> bool {
        let all_same = !self.replaced.is_empty() && self.replaced.iter().all(|edit| edit.old == edit.new);
        all_same || opening.is_some_and(OutcomeOpening::is_unchanged)
    }
}

fn replacements<'a>(args: &EditArguments<'a>) -> Vec<TextReplacement<'a>> {
    let mut found = Vec::new();
    pairs(args, &mut found);
    for list in ["edits", "changes", "replacements"] {
        let Some(list) = value_of(args, list) else { continue };
        // A list of other values is not a list of edits.
        if items(list).all(|edit| edit.starts_with('{')) {
            items(list).for_each(|edit| pairs(&fields(edit).collect::<EditArguments<'_>>(), &mut found));
        }
    }
    found
}

/// Returns the key of the file that a call is about: its target, or a path argument.
pub(crate) fn path_of(action: &Action<'_>) -> Option<HashKey> {
    file_of(action, fields(action.args.as_ref().map_or("", |args| args.json())))
}

fn file_of<'a>(action: &Action<'_>, args: impl Iterator<Item = (Cow<'a, str>, &'a str)>) -> Option<HashKey> {
    if let Some(target) = action.target.as_deref() {
        return Some(key_of(target.trim()));
    }
    let (mut best, mut found) = (PATHS.len(), None);
    for (name, value) in args {
        // The last of several arguments with the same name wins.
        if let Some(rank) = PATHS.iter().take(best + 1).position(|known| *known == name) {
            (best, found) = (rank, Some(value));
        }
    }
    found.map(|path| key_of(trimmed(unquoted(path))))
}

/// Returns a JSON string without its quotes.
pub(crate) fn unquoted(json: &str) -> &str {
    let inner = json.strip_prefix('"').unwrap_or(json);
    inner.strip_suffix('"').unwrap_or(inner)
}

fn arguments<'a>(action: &'a Action<'_>) -> EditArguments<'a> {
    action.args.as_ref().map_or_else(Vec::new, |args| fields(args.json()).collect())
}

/// Returns the value of an argument. The last of several wins.
fn value_of<'a>(args: &EditArguments<'a>, name: &str) -> Option<&'a str> {
    args.iter().rev().find(|(known, _)| known == name).map(|(_, value)| *value)
}

fn pairs<'a>(args: &EditArguments<'a>, found: &mut Vec<TextReplacement<'a>>) {
    // Only texts count: an unchanged line number does not mean an unchanged text.
    let text_of = |name: &str| value_of(args, name).filter(|value| value.starts_with('"'));
    for (at, (name, old)) in args.iter().enumerate() {
        let is_last = || args[at + 1..].iter().all(|(other, _)| other != name);
        if !old.starts_with('"') {
            continue;
        }
        let new = if let Some(rest) = name.strip_prefix("old") {
            args.iter()
                .rev()
                .find(|(other, _)| other.strip_prefix("new") == Some(rest))
                .map(|(_, value)| *value)
        } else {
            let known = REPLACED.iter().filter(|(old, _)| old == name);
            known.map(|(_, new)| *new).find(|new| value_of(args, new).is_some()).and_then(text_of)
        };
        if let Some(new) = new.filter(|new| new.starts_with('"') && is_last()) {
            found.push(TextReplacement { old, new });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing(args: &str, reply: &str) -> bool {
        let json = format!(r#"{{"name":"edit","args":{args}}}"#);
        EditChange::from_action(&serde_json::from_str(&json).unwrap())
            .is_none(Some(&OutcomeOpening::new(reply)))
    }

    #[test]
    fn replacing_a_text_by_itself_changes_nothing() {
        for args in [
            r#"{"path":"a","oldText":"x","newText":"x"}"#,
            r#"{"file_path":"a","old_string":"x\n","new_string":"x\n"}"#,
            r#"{"search":"x","replace":"x"}"#,
            r#"{"edits":[{"old_str":"a","new_str":"a"},{"old_str":"b","new_str":"b"}]}"#,
        ] {
            assert!(nothing(args, "Edited."), "{args}");
        }
        for args in [
            r#"{"old_string":"x","new_string":"x "}"#,
            r#"{"old_string":"'x'","new_string":"\"x\""}"#,
            r#"{"edits":[{"old_str":"a","new_str":"a"},{"old_str":"b","new_str":"c"}]}"#,
            r#"{"old_line":3,"new_line":3,"text":"y"}"#,
            r#"{"content":"x"}"#,
            r#""s/a/a/""#,
        ] {
            assert!(!nothing(args, "Edited."), "{args}");
        }
    }

    #[test]
    fn a_reply_can_say_that_nothing_changed() {
        let args = r#"{"path":"a"}"#;
        assert!(nothing(args, "No changes made to /src/a.ts"));
        assert!(nothing(args, "On branch main\nnothing to commit, working tree clean"));
        assert!(!nothing(args, "The file was updated, 3 changes made."));
    }
}
