//! What went wrong inside hooks, in a file of its own: the agent went on, and the store may be what failed.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::HookAgent;

/// A longer file is put aside, and a new one is begun.
const LONGEST: u64 = 256 * 1024;

/// The file beside the store.
pub fn file(store: &Path) -> PathBuf {
    store.with_file_name("hook.log")
}

/// Adds a line. Where that cannot be done either, there is nobody left to tell.
pub fn note(store: &Path, now: i64, dialect: HookAgent, why: &str) {
    let file = file(store);
    if fs::metadata(&file).is_ok_and(|known| known.len() > LONGEST) {
        let _ = fs::rename(&file, file.with_extension("log.old"));
    }
    let line = format!("{now} {} {}\n", dialect.name(), why.replace('\n', " "));
    let _ = loopbreak_store::create_parent_folder(&file);
    let opened = OpenOptions::new().append(true).create(true).open(&file);
    let _ = opened.and_then(|mut log| log.write_all(line.as_bytes()));
}

/// The last lines, the newest last.
pub fn last(store: &Path, most: usize) -> Vec<String> {
    let text = fs::read(file(store)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let lines: Vec<String> = text.unwrap_or_default().lines().map(str::to_owned).collect();
    lines[lines.len().saturating_sub(most)..].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_does_not_grow_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("loopbreak.db");
        for number in 0..6000 {
            note(&store, number, HookAgent::Codex, &format!("{}\nagain {number}", "x".repeat(100)));
        }
        assert!(fs::metadata(file(&store)).unwrap().len() <= LONGEST + 200);
        assert!(last(&store, 1)[0].ends_with("again 5999"));
        note(&folder.path().join("new/loopbreak.db"), 1, HookAgent::Codex, "x");
        assert_eq!(last(&folder.path().join("new/loopbreak.db"), 9), ["1 codex x"]);
        fs::write(folder.path().join("none"), "").unwrap();
        note(&folder.path().join("none/loopbreak.db"), 1, HookAgent::Codex, "x");
    }
}
