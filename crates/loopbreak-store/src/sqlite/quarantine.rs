//! Moves a damaged file away, so that a new store can take its place and no agent has to wait.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::store_file_id::StoreFileId;
use super::{is_damage, sibling, store_error};
use crate::{StoreError, StoreOptions, open_private_file};

/// Pause before the next try to lock.
const RETRY_PAUSE: Duration = Duration::from_millis(2);

/// Moves the file away if it is still the one that was found to be damaged, and returns its new path. Many processes may find
/// the damage at the same time: the first one moves the file, and the others must not move the new one.
pub(super) fn quarantine(
    path: &Path,
    damaged: Option<StoreFileId>,
    now: i64,
    options: StoreOptions,
) -> Result<Option<PathBuf>, StoreError> {
    let file_error = |error| StoreError::File { path: path.display().to_string(), error };
    let _lock = lock_files(path, options)?;
    let is_other = match damaged {
        Some(damaged) => StoreFileId::find(path) != Some(damaged),
        None => is_intact(path)?,
    };
    if is_other {
        return Ok(None);
    }
    let moved = unused_name(path, now);
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

/// Locks the names of the store's files. A process that moves, removes or creates them holds this lock.
pub(super) fn lock_files(path: &Path, options: StoreOptions) -> Result<File, StoreError> {
    let file_error = |error| StoreError::File { path: path.display().to_string(), error };
    let mut create = OpenOptions::new();
    let lock =
        open_private_file(&sibling(path, "-lock"), create.append(true).create(true)).map_err(file_error)?;
    let (started, waiting_time) = (Instant::now(), options.waiting_time());
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(lock),
            Err(TryLockError::WouldBlock) if started.elapsed() >= waiting_time => {
                return Err(StoreError::Busy);
            }
            Err(TryLockError::WouldBlock) => thread::sleep(RETRY_PAUSE),
            Err(TryLockError::Error(error)) => return Err(file_error(error)),
        }
    }
}

/// Returns a name that no earlier file has: the clock may have been the same.
fn unused_name(path: &Path, now: i64) -> PathBuf {
    let mut number = now;
    loop {
        let name = sibling(path, &format!("-damaged-{number}"));
        if !name.exists() {
            return name;
        }
        number = number.wrapping_add(1);
    }
}

/// Returns whether SQLite finds no damage in the file.
pub(super) fn is_intact(path: &Path) -> Result<bool, StoreError> {
    let answer = Connection::open(path)
        .and_then(|store| store.query_row("PRAGMA quick_check(1)", (), |row| row.get::<_, String>(0)));
    match answer {
        Ok(answer) => Ok(answer == "ok"),
        Err(error) if is_damage(&error) => Ok(false),
        Err(error) => Err(store_error(error)),
    }
}
