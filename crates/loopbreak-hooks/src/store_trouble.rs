//! Remembers beside the store what hooks found out about it: that another process keeps it locked, and what the user was told. The
//! store itself may be what failed.

use std::fs::{self, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use loopbreak_store::open_private_file;

/// Time in milliseconds for which hooks do not wait for a store that was locked.
const LOCKED_MS: i64 = 60_000;
/// Largest list of what users were told, in bytes. A longer one is started over.
const TOLD_BYTES: u64 = 64 * 1024;

/// Returns whether the store stayed locked while a hook waited for it in the last minute. A time in the future is not believed.
pub(crate) fn was_locked(store: &Path, now: i64) -> bool {
    let Some(at) = read(&sibling(store, "-busy")).and_then(|text| text.trim().parse::<i64>().ok()) else {
        return false;
    };
    (0..LOCKED_MS).contains(&now.saturating_sub(at))
}

/// Remembers that the store stayed locked while a hook waited for it.
pub(crate) fn note_locked(store: &Path, now: i64) {
    let mut options = OpenOptions::new();
    let opened = open_private_file(&sibling(store, "-busy"), options.write(true).create(true).truncate(true));
    let _ = opened.and_then(|mut file| write!(file, "{now}"));
}

/// Forgets that the store was locked.
pub(crate) fn forget_lock(store: &Path) {
    let _ = fs::remove_file(sibling(store, "-busy"));
}

/// Returns whether the user has not been told about a trouble in a session yet, and remembers it. Fails if it cannot be
/// remembered, for example on a full disk.
pub(crate) fn is_news(store: &Path, session: &str, trouble: &str) -> io::Result<bool> {
    let path = sibling(store, "-told");
    let line = format!("{session} {trouble}\n");
    let told = read(&path).unwrap_or_default();
    if told.contains(&line) {
        return Ok(false);
    }
    let mut options = OpenOptions::new();
    if told.len() as u64 >= TOLD_BYTES {
        let _ = fs::remove_file(&path);
    }
    let opened = open_private_file(&path, options.append(true).create(true));
    opened.and_then(|mut file| file.write_all(line.as_bytes())).map(|()| true)
}

fn read(path: &Path) -> Option<String> {
    let mut text = String::new();
    let mut options = OpenOptions::new();
    let file = open_private_file(path, options.read(true)).ok()?;
    file.take(TOLD_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

fn sibling(store: &Path, suffix: &str) -> PathBuf {
    let mut name = store.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_remembered_for_a_minute_and_a_time_in_the_future_is_not_believed() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("x.db");
        assert!(!was_locked(&store, 100));
        note_locked(&store, 100);
        assert!(was_locked(&store, 100) && was_locked(&store, LOCKED_MS + 99));
        assert!(!was_locked(&store, LOCKED_MS + 100) && !was_locked(&store, 99));
        forget_lock(&store);
        assert!(!was_locked(&store, 100));
    }

    #[test]
    fn a_user_is_told_once_per_session_and_trouble() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("x.db");
        let told = |session: &str, trouble: &str| !is_news(&store, session, trouble).unwrap();
        assert!(!told("a", "locked"));
        assert!(told("a", "locked"));
        assert!(!told("a", "damaged") && !told("b", "locked"));
        for number in 0..9_000 {
            told(&number.to_string(), "locked");
        }
        assert!(fs::metadata(sibling(&store, "-told")).unwrap().len() <= TOLD_BYTES + 100);
        assert!(is_news(&folder.path().join("none/x.db"), "a", "locked").is_err());
    }
}
