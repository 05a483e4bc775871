//! What an edit says of itself: which file, which text for which, and whether it changes anything at all.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::value::RawValue;

use crate::memory::{Key, key_of};
use crate::step::Action;
use crate::text::clip::clip;

/// The arguments that name a file.
const PATHS: [&str; 8] =
    ["path", "file_path", "filePath", "file", "filename", "target_file", "notebook_path", "absolute_path"];

/// Pairs of arguments of which the first is replaced by the second, beside all `old…` with its `new…`.
const REPLACED: [(&str, &str); 4] =
    [("search", "replace"), ("find", "replace"), ("original", "modified"), ("before", "after")];

/// How an edit says that it changed nothing.
const UNCHANGED: [&str; 14] = [
    "no changes made",
    "no changes were made",
    "no changes to make",
    "no change was made",
    "no edits made",
    "no edits were made",
    "no modifications",
    "nothing changed",
    "nothing to change",
    "nothing to commit",
    "file unchanged",
    "file is unchanged",
    "are exactly the same",
    "are identical",
];

/// How much of a reply is looked at for that.
const HEAD: usize = 200;

type Object<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

/// What an edit replaces, each text as it is written in JSON.
#[derive(Debug, Default)]
pub(crate) struct Replacement<'a> {
    pub(crate) old: &'a str,
    pub(crate) new: &'a str,
}

/// What the arguments of an edit say.
pub(crate) fn replacements<'a>(action: &'a Action<'_>) -> Vec<Replacement<'a>> {
    let mut found = Vec::new();
    let Some(args) = object(action) else { return found };
    pairs(&args, &mut found);
    for list in ["edits", "changes", "replacements"] {
        let all = args.get(list).and_then(|list| serde_json::from_str::<Vec<Object<'a>>>(list.get()).ok());
        all.into_iter().flatten().for_each(|edit| pairs(&edit, &mut found));
    }
    found
}

/// The file that a call is about: its target, or the argument that names one.
pub(crate) fn path_of(action: &Action<'_>) -> Option<Key> {
    if let Some(target) = action.target.as_deref() {
        return Some(key_of(target.trim()));
    }
    let args = object(action)?;
    let path = PATHS.iter().find_map(|name| args.get(*name))?;
    Some(key_of(path.get().trim_matches('"').trim()))
}

/// Whether an edit changes nothing: what it replaces is what it puts there, or its outcome says so.
pub(crate) fn changes_nothing(action: &Action<'_>, outcome: Option<&str>) -> bool {
    if outcome.is_some_and(says_unchanged) {
        return true;
    }
    let all = replacements(action);
    !all.is_empty() && all.iter().all(|edit| edit.old == edit.new)
}

fn says_unchanged(text: &str) -> bool {
    let head = clip(text.trim_start(), HEAD).to_ascii_lowercase();
    UNCHANGED.iter().any(|phrase| head.contains(phrase))
}

fn object<'a>(action: &'a Action<'_>) -> Option<Object<'a>> {
    let json = action.args.as_ref()?.json();
    if json.starts_with('{') { serde_json::from_str(json).ok() } else { None }
}

fn pairs<'a>(args: &Object<'a>, found: &mut Vec<Replacement<'a>>) {
    for (name, old) in args {
        let counterpart = name.strip_prefix("old").map(|rest| Cow::Owned(format!("new{rest}")));
        let counterpart = counterpart.or_else(|| {
            REPLACED
                .iter()
                .find(|(old, new)| old == name && args.contains_key(*new))
                .map(|(_, new)| Cow::Borrowed(*new))
        });
        // The texts themselves: a number of lines that stays the same says nothing.
        let text = |value: &&&RawValue| value.get().starts_with('"');
        if let Some(new) = counterpart.and_then(|name| args.get(&*name)).filter(text)
            && text(&old)
        {
            found.push(Replacement { old: old.get(), new: new.get() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing(args: &str, reply: &str) -> bool {
        let json = format!(r#"{{"name":"edit","args":{args}}}"#);
        changes_nothing(&serde_json::from_str(&json).unwrap(), Some(reply))
    }

    #[test]
    fn the_same_text_for_the_same_text_changes_nothing() {
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
    fn a_reply_may_say_it() {
        let args = r#"{"path":"a"}"#;
        assert!(nothing(args, "No changes made to /src/a.ts"));
        assert!(nothing(args, "On branch main\nnothing to commit, working tree clean"));
        assert!(!nothing(args, "The file was updated, 3 changes made."));
    }
}
