//! Moves a damaged file away, so that a new store can take its place and no agent has to wait.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::{is_damage, sibling, store_error};
use crate::StoreError;

/// Moves the file away if it is really damaged, and returns its new path. Many processes may find the damage at the
/// same time: the first one moves the file, and the others must not move the new one.
pub(super) fn quarantine(path: &Path, now: i64) -> Result<Option<PathBuf>, StoreError> {
    let file_error = |error| StoreError::File { path: path.display().to_string(), error };
    let lock = File::create(sibling(path, "-lock")).map_err(file_error)?;
    lock.lock().map_err(file_error)?;
    if is_intact(path)? {
        return Ok(None);
    }
    let moved = sibling(path, &format!("-damaged-{now}"));
    fs::rename(path, &moved).map_err(file_error)?;
    for suffix in ["-wal", "-shm"] {
        // A write-ahead log belongs to its file: next to another file it would cause damage.
        let renamed = fs::rename(sibling(path, suffix), sibling(&moved, suffix));
        if let Err(error) = renamed
            && error.kind() != std::io::ErrorKind::NotFound
        {
            return Err(file_error(error));
        }
    }
    Ok(Some(moved))
}

fn is_intact(path: &Path) -> Result<bool, StoreError> {
    let answer = Connection::open(path)
        .and_then(|store| store.query_row("PRAGMA quick_check(1)", (), |row| row.get::<_, String>(0)));
    match answer {
        Ok(answer) => Ok(answer == "ok"),
        Err(error) if is_damage(&error) => Ok(false),
        Err(error) => Err(store_error(error)),
    }
}
