//! Advice about inputs that could not be read.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use loopbreak::text::{nearest_name, printable};
use loopbreak_trace::OpenError;
use serde_json::Value;

/// Number of files in a folder that are compared with a mistyped name.
const COMPARED_FILES: usize = 10_000;
/// Size of the beginning of a file that is searched for keys, in bytes.
const READ_BYTES: u64 = 1 << 20;
/// Number of keys that are named, and the length limit of each in characters.
const SHOWN_KEYS: usize = 8;
const KEY_CHARS: usize = 40;

/// Returns advice about an input that could not be read.
pub(super) fn input_hint(name: &str, error: &OpenError) -> Option<String> {
    let special = match error {
        OpenError::Missing => nearest_file(Path::new(name)).map(|file| format!("did you mean {file}?")),
        OpenError::Unknown => seen_keys(Path::new(name)).map(|keys| {
            format!(
                "its objects have the keys {keys}; `loopbreak analyze --help` shows the keys of a step, and `loopbreak \
                 formats` lists the known formats"
            )
        }),
        _ => None,
    };
    special.or_else(|| error.hint().map(str::to_owned))
}

/// Returns the path of the file in the same folder whose name is most similar.
fn nearest_file(path: &Path) -> Option<String> {
    let wanted = path.file_name()?.to_str()?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let entries = fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?.flatten().take(COMPARED_FILES);
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    let nearest = nearest_name(wanted, names.iter().map(String::as_str))?;
    Some(printable(
        &folder.map_or_else(|| nearest.into(), |folder| folder.join(nearest)).display().to_string(),
    ))
}

/// Lists the keys of the first object of a file, or of the first object in its first list.
fn seen_keys(path: &Path) -> Option<String> {
    let mut text = Vec::new();
    File::open(path).ok()?.take(READ_BYTES).read_to_end(&mut text).ok()?;
    // A file of several documents has more text after the first one.
    let first = serde_json::Deserializer::from_slice(&text).into_iter::<Value>().next()?.ok()?;
    let object = match &first {
        Value::Array(items) => items.iter().find_map(Value::as_object)?,
        value => value.as_object()?,
    };
    let quoted = |key: &String| format!("{:?}", printable(&key.chars().take(KEY_CHARS).collect::<String>()));
    let keys: Vec<String> = object.keys().take(SHOWN_KEYS).map(quoted).collect();
    let more = if object.len() > SHOWN_KEYS { ", …" } else { "" };
    (!keys.is_empty()).then(|| keys.join(", ") + more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_path_is_compared_with_the_files_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("dam.jsonl"), "").unwrap();
        let near = input_hint(folder.path().join("dam.jsnl").to_str().unwrap(), &OpenError::Missing).unwrap();
        assert!(near.starts_with("did you mean ") && near.ends_with("dam.jsonl?"), "{near}");
        let far = input_hint(folder.path().join("other").to_str().unwrap(), &OpenError::Missing).unwrap();
        assert_eq!(far, OpenError::Missing.hint().unwrap());
    }

    #[test]
    fn the_keys_of_unknown_json_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("foo.json");
        let hint = |text: &str| {
            fs::write(&path, text).unwrap();
            input_hint(path.to_str().unwrap(), &OpenError::Unknown).unwrap()
        };
        for text in
            [r#"{"foo":1,"bar":[]}"#, "{\"foo\":1,\"bar\":2}\n{\"x\":1}\n", r#"[1,{"bar":1,"foo":2}]"#]
        {
            let hint = hint(text);
            assert!(
                hint.contains("\"foo\"") && hint.contains("\"bar\"") && !hint.contains("\"x\""),
                "{hint}"
            );
        }
        assert_eq!(hint("plain prose"), OpenError::Unknown.hint().unwrap());
    }
}
