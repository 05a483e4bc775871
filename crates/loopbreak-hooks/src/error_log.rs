//! The errors of past events, in a file beside the store, because the store itself may be what failed.

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use loopbreak::text::{clip, printable};
use loopbreak_store::{open_private_file, open_regular_file};

/// Size in bytes from which the file is renamed and a new one is started.
const MAX_BYTES: u64 = 256 * 1024;
/// Longest text of an error, in bytes.
const LINE_BYTES: usize = 500;

/// Returns the path of the log that belongs to a store.
pub fn path(store: &Path) -> PathBuf {
    store.with_file_name("hook.log")
}

/// Appends an error with the name of the agent. Errors while doing so are ignored: nothing is left that could report them. A log
/// that is a link, a pipe or a device is left alone.
pub fn append(store: &Path, now: i64, agent: &str, error: &str) {
    let path = path(store);
    if fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file() && metadata.len() > MAX_BYTES) {
        let _ = fs::rename(&path, path.with_extension("log.old"));
    }
    let error = error.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = format!("{now} {agent} {}\n", clip(&error, LINE_BYTES));
    let _ = loopbreak_store::create_parent_folder(&path);
    let mut options = OpenOptions::new();
    let opened = open_private_file(&path, options.append(true).create(true));
    let _ = opened.and_then(|mut log| log.write_all(line.as_bytes()));
}

/// Returns the last lines, oldest first.
pub fn last_lines(store: &Path, count: usize) -> Vec<String> {
    let text = read(store);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(count)..].iter().map(|line| (*line).to_owned()).collect()
}

/// Counts the errors since a time, in milliseconds since 1970, and returns the last one of them.
pub fn failures_since(store: &Path, since: i64) -> (usize, Option<String>) {
    let text = read(store);
    let time = |line: &str| line.split(' ').next().and_then(|time| time.parse::<i64>().ok());
    let recent: Vec<&str> =
        text.lines().filter(|line| time(line).is_some_and(|time| time >= since)).collect();
    (recent.len(), recent.last().map(|line| (*line).to_owned()))
}

fn read(store: &Path) -> String {
    let mut bytes = Vec::new();
    if let Ok(file) = open_regular_file(&path(store)) {
        let _ = file.take(2 * MAX_BYTES).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
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

    /// Opening a pipe would wait for somebody to read it, and the agent would wait too.
    #[cfg(unix)]
    #[test]
    fn a_log_that_is_a_pipe_or_a_link_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("loopbreak.db");
        assert!(std::process::Command::new("mkfifo").arg(path(&store)).status().unwrap().success());
        append(&store, 1, "codex", "x");
        assert!(last_lines(&store, 9).is_empty());
        fs::remove_file(path(&store)).unwrap();
        let target = folder.path().join("target");
        fs::write(&target, "mine").unwrap();
        std::os::unix::fs::symlink(&target, path(&store)).unwrap();
        append(&store, 1, "codex", "x");
        assert_eq!(fs::read_to_string(&target).unwrap(), "mine");
    }

    #[test]
    fn an_error_of_several_lines_is_one_line_and_recent_ones_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("loopbreak.db");
        append(&store, 5, "codex", "old");
        append(&store, 10, "codex", "no such table\n  SELECT\n\t x");
        assert_eq!(failures_since(&store, 6), (1, Some("10 codex no such table SELECT x".to_owned())));
        assert_eq!(failures_since(&folder.path().join("none/x.db"), 0), (0, None));
    }
}
