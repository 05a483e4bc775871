//! The errors of past events, in a file beside the store, because the store itself may be what failed.

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use loopbreak::text::printable;

/// Size in bytes from which the file is renamed and a new one is started.
const MAX_BYTES: u64 = 256 * 1024;

/// Returns the path of the log that belongs to a store.
pub fn path(store: &Path) -> PathBuf {
    store.with_file_name("hook.log")
}

/// Appends an error with the name of the agent. Errors while doing so are ignored: nothing is left that could report them.
pub fn append(store: &Path, now: i64, agent: &str, error: &str) {
    let path = path(store);
    if fs::metadata(&path).is_ok_and(|metadata| metadata.len() > MAX_BYTES) {
        let _ = fs::rename(&path, path.with_extension("log.old"));
    }
    let line = format!("{now} {agent} {}\n", error.replace('\n', " "));
    let _ = loopbreak_store::create_parent_folder(&path);
    let opened = OpenOptions::new().append(true).create(true).open(&path);
    let _ = opened.and_then(|mut log| log.write_all(line.as_bytes()));
}

/// Returns the last lines, oldest first.
pub fn last_lines(store: &Path, count: usize) -> Vec<String> {
    let text = fs::read(path(store)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let lines: Vec<String> = text.unwrap_or_default().lines().map(str::to_owned).collect();
    lines[lines.len().saturating_sub(count)..].to_vec()
}

/// Renders the last lines for a terminal, with the path of the file. Empty if there are none.
pub fn render_last(store: &Path, count: usize) -> String {
    let lines = last_lines(store, count);
    if lines.is_empty() {
        return String::new();
    }
    let mut text = format!("latest errors ({}):\n", path(store).display());
    for line in &lines {
        // Writing to a text cannot fail.
        _ = writeln!(text, "  {}", printable(line));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_the_file_is_limited() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("loopbreak.db");
        for number in 0..6000 {
            append(&store, number, "codex", &format!("{}\nerror {number}", "x".repeat(100)));
        }
        assert!(fs::metadata(path(&store)).unwrap().len() <= MAX_BYTES + 200);
        assert!(last_lines(&store, 1)[0].ends_with("error 5999"));
    }

    #[test]
    fn a_missing_folder_is_created_and_a_folder_that_cannot_be_created_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("new/loopbreak.db");
        append(&store, 1, "codex", "x");
        assert_eq!(last_lines(&store, 9), ["1 codex x"]);
        let shown = format!("latest errors ({}):\n  1 codex x\n", path(&store).display());
        assert_eq!(
            (render_last(&store, 9), render_last(&folder.path().join("none"), 9)),
            (shown, String::new())
        );
        fs::write(folder.path().join("file"), "").unwrap();
        append(&folder.path().join("file/loopbreak.db"), 1, "codex", "x");
    }
}
