//! The files that a call of an editing tool changes, in the dialects of all agents.

use serde_json::{Map, Value};

use super::patch_text;

/// Names of arguments that hold the path of a file.
const PATH_KEYS: [&str; 18] = [
    "file_path",
    "filePath",
    "filepath",
    "path",
    "filename",
    "file_name",
    "file",
    "target_file",
    "targetFile",
    "notebook_path",
    "absolute_path",
    "relative_path",
    "source",
    "destination",
    "new_path",
    "old_path",
    "uri",
    "AbsolutePath",
];
/// Names of arguments that hold the whole new text of a file.
const TEXT_KEYS: [&str; 6] = ["content", "contents", "file_text", "new_source", "text", "code_edit"];
/// Names of arguments that hold the old and the new text of a replacement.
const REPLACEMENT_KEYS: [(&str, &str); 5] = [
    ("old_string", "new_string"),
    ("oldString", "newString"),
    ("old_str", "new_str"),
    ("oldText", "newText"),
    ("old_text", "new_text"),
];
/// Names of arguments that hold lines to insert.
const INSERTION_KEYS: [&str; 2] = ["insert_text", "new_str"];
/// Names of arguments that hold a patch, or blocks to search and replace.
const PATCH_KEYS: [&str; 7] = ["patch", "diff", "patchText", "patch_text", "input", "command", "replacement"];
/// Words in the names of tools that change files.
const CHANGING_WORDS: [&str; 14] = [
    "write",
    "edit",
    "create",
    "delete",
    "remove",
    "move",
    "rename",
    "replace",
    "insert",
    "patch",
    "append",
    "save",
    "overwrite",
    "trash",
];

/// Words in the names of tools that only read.
const READING_WORDS: [&str; 8] = ["read", "view", "search", "grep", "find", "glob", "list", "get"];
/// Names of arguments that hold a new text, and that tools which only read do not have.
const NEW_TEXT_KEYS: [&str; 11] = [
    "content",
    "contents",
    "file_text",
    "new_source",
    "code_edit",
    "edits",
    "new_string",
    "newString",
    "new_str",
    "newText",
    "new_text",
];

/// A file that a call changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileEdit {
    pub(super) path: String,
    pub(super) change: EditedContent,
}

/// The change of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum EditedContent {
    /// The file gets this text.
    Whole(String),
    /// Texts of the file are replaced by others.
    Replaced(Vec<(String, String)>),
    /// The lines of a patch.
    Lines(Vec<String>),
    /// The file is removed or moved away.
    Removal,
    /// The change cannot be told; the text of the call.
    Other(String),
}

impl FileEdit {
    /// Lists the files that a call of a tool changes. A call that only reads changes none.
    pub(super) fn list(tool: &str, args: &Map<String, Value>) -> Vec<Self> {
        let patches = PATCH_KEYS.iter().filter_map(|key| patch_in(args.get(*key)?));
        let mut edits: Vec<FileEdit> = patches.flat_map(patch_text::edits_in).collect();
        let paths = PATH_KEYS.iter().filter_map(|key| args.get(*key)?.as_str());
        let paths: Vec<String> =
            paths.map(|path| path.strip_prefix("file://").unwrap_or(path).to_owned()).collect();
        if paths.is_empty() || !is_change(tool, args) {
            return edits;
        }
        let change = change_in(tool, args);
        edits.extend(paths.into_iter().map(|path| FileEdit { path, change: change.clone() }));
        edits
    }
}

/// Returns whether the arguments of a call name a file.
pub(super) fn has_path(args: &Map<String, Value>) -> bool {
    PATH_KEYS.iter().any(|key| args.contains_key(*key))
}

/// Returns the patch in an argument: a text that is one, or the argument of the program that applies it. A patch in another
/// command is only a text.
fn patch_in(value: &Value) -> Option<&str> {
    let program = "apply_patch";
    match value {
        Value::String(text) => {
            let text = text.as_str();
            let is_patch = ["*** Begin Patch", "--- ", "diff "].iter().any(|start| text.starts_with(start));
            (is_patch || text.trim_start().starts_with(program)).then_some(text)
        }
        Value::Array(words) if words.first().and_then(Value::as_str) == Some(program) => {
            words.get(1)?.as_str()
        }
        _ => None,
    }
}

/// Returns whether a call with a path changes the file.
fn is_change(tool: &str, args: &Map<String, Value>) -> bool {
    // Some agents have one tool for everything: its command says what it does.
    if let Some(command) = args.get("command").and_then(Value::as_str) {
        return command != "view";
    }
    let name = tool.to_lowercase();
    let named = |words: &[&str]| words.iter().any(|word| name.contains(word));
    let has_text = NEW_TEXT_KEYS.iter().any(|key| args.contains_key(*key));
    named(&CHANGING_WORDS) || has_text && !named(&READING_WORDS)
}

fn change_in(tool: &str, args: &Map<String, Value>) -> EditedContent {
    let text = |key: &str| args.get(key).and_then(Value::as_str);
    let replaced = replacements(args);
    if !replaced.is_empty() {
        return EditedContent::Replaced(replaced);
    }
    if let Some(whole) = TEXT_KEYS.iter().find_map(|key| text(key)) {
        return EditedContent::Whole(whole.to_owned());
    }
    let blocks: Vec<(String, String)> =
        PATCH_KEYS.iter().filter_map(|key| text(key)).flat_map(search_blocks).collect();
    if !blocks.is_empty() {
        return EditedContent::Replaced(blocks);
    }
    if let Some(inserted) = INSERTION_KEYS.iter().find_map(|key| text(key)) {
        return EditedContent::Other(inserted.to_owned());
    }
    let name = tool.to_lowercase();
    if ["delete", "remove", "move", "rename", "trash"].iter().any(|word| name.contains(word)) {
        return EditedContent::Removal;
    }
    EditedContent::Other(Value::Object(args.clone()).to_string())
}

/// Lists the replacements of a call: one, or those in a list of edits.
fn replacements(args: &Map<String, Value>) -> Vec<(String, String)> {
    let edits = args.get("edits").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let objects = edits.iter().filter_map(Value::as_object).chain([args]);
    objects
        .filter_map(|object| {
            REPLACEMENT_KEYS.iter().find_map(|(old, new)| {
                let text = |key: &str| object.get(key).and_then(Value::as_str).map(str::to_owned);
                text(old).map(|old| (old, text(new).unwrap_or_default()))
            })
        })
        .collect()
}

/// Lists the blocks of a text that says what to search, and what to replace it by.
fn search_blocks(text: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut block: Option<(String, Option<String>)> = None;
    for line in text.lines() {
        let is_mark = |word: &str| line.ends_with(word) && line.starts_with(['-', '<', '>', '+']);
        match &mut block {
            _ if is_mark(" SEARCH") => block = Some((String::new(), None)),
            Some((_, new @ None)) if line.starts_with("=======") => *new = Some(String::new()),
            Some((old, Some(new))) if is_mark(" REPLACE") => {
                blocks.push((std::mem::take(old), std::mem::take(new)));
                block = None;
            }
            Some((old, new)) => {
                let part = new.as_mut().unwrap_or(old);
                part.push_str(line);
                part.push('\n');
            }
            None => {}
        }
    }
    blocks
}

impl EditedContent {
    /// Returns the text of a file after the change, or `None` if it cannot be told.
    pub(super) fn apply(&self, before: &str) -> Option<String> {
        match self {
            EditedContent::Whole(text) => Some(text.clone()),
            EditedContent::Replaced(pairs) => {
                let replace = |text: String, (old, new): &(String, String)| {
                    if old.is_empty() { format!("{text}{new}") } else { text.replace(old, new) }
                };
                Some(pairs.iter().fold(before.to_owned(), replace))
            }
            EditedContent::Removal => Some(String::new()),
            EditedContent::Lines(_) | EditedContent::Other(_) => None,
        }
    }

    /// Returns the changed text, as far as it is known.
    pub(super) fn text(&self) -> String {
        match self {
            EditedContent::Whole(text) | EditedContent::Other(text) => text.clone(),
            EditedContent::Replaced(pairs) => {
                let lines: Vec<&str> = pairs.iter().flat_map(|(old, new)| [old.as_str(), new]).collect();
                lines.join("\n")
            }
            EditedContent::Lines(lines) => lines.join("\n"),
            EditedContent::Removal => String::new(),
        }
    }
}
