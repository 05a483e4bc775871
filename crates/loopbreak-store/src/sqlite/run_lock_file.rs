//! Locks a run for one process with a lock on a file next to the store. The system releases it when the process ends,
//! for whatever reason.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use super::sibling;
use crate::{RunKey, RunLock, StoreError};

/// The path of a locked file, removed when the lock is released. The lock is on the open file.
#[derive(Debug)]
struct RunLockFile {
    path: PathBuf,
}

/// Locks a run of the store at this path. Returns `None` if another process holds the lock.
pub(super) fn lock(store: &Path, run: &RunKey) -> Result<Option<RunLock>, StoreError> {
    let path = sibling(store, "-held").join(file_name(run));
    let file_error = |error| StoreError::File { path: path.display().to_string(), error };
    crate::create_parent_folder(&path)?;
    loop {
        let file = crate::open_private_file(&path, OpenOptions::new().append(true).create(true))
            .map_err(file_error)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(file_error(error)),
        }
        // The previous holder may have removed the file after it was opened here. A lock on a removed file is seen by
        // no other process.
        if is_same_file(&file, &path) {
            return Ok(Some(RunLock::new(RunLockFile { path }).with_file(file)));
        }
    }
}

impl Drop for RunLockFile {
    fn drop(&mut self) {
        // A leftover file is harmless: the next lock reuses it.
        let _ = fs::remove_file(&self.path);
    }
}

/// Returns a valid file name for any names of the run.
fn file_name(run: &RunKey) -> String {
    let RunKey { source, session, agent } = run;
    let safe = |text: &str| -> String {
        text.bytes()
            .take(60)
            .map(|byte| if byte.is_ascii_alphanumeric() { char::from(byte) } else { '_' })
            .collect()
    };
    format!("{}-{}-{}", safe(source), safe(session), safe(agent))
}

#[cfg(unix)]
fn is_same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let same = |a: &fs::Metadata, b: &fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
    matches!((file.metadata(), fs::metadata(path)), (Ok(open), Ok(named)) if same(&open, &named))
}

#[cfg(not(unix))]
fn is_same_file(_: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_locked_by_one_holder_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("loopbreak.db");
        let key =
            |session: &str| RunKey { source: "run".into(), session: session.into(), agent: String::new() };
        let first = lock(&store, &key("a/../b")).unwrap();
        assert!(first.is_some());
        assert!(lock(&store, &key("a/../b")).unwrap().is_none());
        assert!(lock(&store, &key("other")).unwrap().is_some());
        drop(first);
        assert!(lock(&store, &key("a/../b")).unwrap().is_some());
        let left = fs::read_dir(folder.path().join("loopbreak.db-held")).unwrap().count();
        assert_eq!(left, 0, "no file is left behind");
    }
}
