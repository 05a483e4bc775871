//! A damaged store is put aside, and a new one takes its place: no agent is to suffer from it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::StoreError;
use crate::sqlite::{is_damage, told};

/// Puts the store aside if it is really damaged, and says where it went. Many processes may find the damage at once:
/// the first one moves the file, and the others must not move the new one.
pub(crate) fn put_aside(path: &Path, now: i64) -> Result<Option<PathBuf>, StoreError> {
    let failed = |error| StoreError::File { path: path.display().to_string(), error };
    let lock = File::create(beside(path, "-lock")).map_err(failed)?;
    lock.lock().map_err(failed)?;
    if is_sound(path)? {
        return Ok(None);
    }
    let aside = beside(path, &format!("-damaged-{now}"));
    fs::rename(path, &aside).map_err(failed)?;
    for end in ["-wal", "-shm"] {
        // A log of changes belongs to its file: beside another one it would do harm.
        let moved = fs::rename(beside(path, end), beside(&aside, end));
        if let Err(error) = moved
            && error.kind() != std::io::ErrorKind::NotFound
        {
            return Err(failed(error));
        }
    }
    Ok(Some(aside))
}

fn is_sound(path: &Path) -> Result<bool, StoreError> {
    let asked = Connection::open(path)
        .and_then(|store| store.query_row("PRAGMA quick_check(1)", (), |row| row.get::<_, String>(0)));
    match asked {
        Ok(answer) => Ok(answer == "ok"),
        Err(error) if is_damage(&error) => Ok(false),
        Err(error) => Err(told(error)),
    }
}

pub(crate) fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}
