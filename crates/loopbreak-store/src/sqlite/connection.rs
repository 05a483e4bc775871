//! Opens the file of the store, also for many processes at once, and creates it if there is none.

use std::fs::{self, OpenOptions};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::migrations::{migrate, require_current_version};
use super::quarantine::lock_files;
use super::{sibling, store_error};
use crate::{StoreError, StoreOptions};

/// Pause before the next try to open a file that another process is creating.
const RETRY_PAUSE: Duration = Duration::from_millis(5);
/// Longest time during which a file that another process is creating cannot be written.
const CREATION_TIME: Duration = Duration::from_secs(1);

/// Opens the file and applies the migrations it lacks. If several processes create a new file at the same
/// time, SQLite reports immediately to some of them that it is busy or read-only. They try again.
pub(super) fn connect(
    path: &Path,
    mut exists: bool,
    now: i64,
    options: StoreOptions,
) -> Result<Connection, StoreError> {
    let (started, longest) = (Instant::now(), options.waiting_time());
    loop {
        if !exists {
            let _ = create(path, now, options);
        }
        let result = try_connect(path, now, options);
        let timeout = match &result {
            Err(StoreError::Busy) => longest,
            Err(StoreError::Database(why)) if why.contains("readonly") && was_just_created(path) => {
                longest.min(CREATION_TIME)
            }
            _ => return result,
        };
        if started.elapsed() >= timeout {
            return result;
        }
        thread::sleep(RETRY_PAUSE);
        exists = path.exists();
    }
}

/// Returns whether another process may still be creating the file. An older file that is read-only stays so.
fn was_just_created(path: &Path) -> bool {
    let modified = fs::metadata(path).and_then(|metadata| metadata.modified());
    modified.is_ok_and(|at| at.elapsed().is_ok_and(|age| age < CREATION_TIME))
}

/// Creates a new file with all its tables under another name and links it into place unless another process was faster,
/// so that no process sees an incomplete file. Returns `None` if that fails; the file is then created in place.
fn create(path: &Path, now: i64, options: StoreOptions) -> Option<()> {
    static CREATED: AtomicU64 = AtomicU64::new(0);
    let number = CREATED.fetch_add(1, Ordering::Relaxed);
    let draft = sibling(path, &format!("-new-{}-{number}", std::process::id()));
    crate::create_parent_folder(path).ok()?;
    // A process with the same number may have left one behind.
    let _ = fs::remove_file(&draft);
    // SQLite gives all its files the mode of this one.
    crate::open_private_file(&draft, OpenOptions::new().write(true).create_new(true)).ok()?;
    let created = Connection::open(&draft).map_err(store_error).and_then(|mut file| {
        // Nobody else uses the draft, so it is forced onto the disk once, when it is complete: the disk may be slow.
        file.execute_batch("PRAGMA synchronous = OFF").map_err(store_error)?;
        migrate(&mut file, now)?;
        // Closing removes the write-ahead log, so that the store is one file.
        file.close().map_err(|(_, error)| store_error(error))?;
        let synced = OpenOptions::new().write(true).open(&draft).and_then(|file| file.sync_all());
        synced.map_err(|error| StoreError::File { path: draft.display().to_string(), error })
    });
    let linked = created.ok().and_then(|()| {
        // A log that a removed file left behind would be applied to the new one. Only the process that holds the lock and
        // finds no file may remove it: otherwise it could be that of a file which another process has just created.
        let _lock = lock_files(path, options).ok()?;
        if !path.exists() {
            let _ = fs::remove_file(sibling(path, "-wal"));
            let _ = fs::remove_file(sibling(path, "-shm"));
        }
        fs::hard_link(&draft, path).ok()
    });
    let _ = fs::remove_file(&draft);
    linked
}

fn try_connect(path: &Path, now: i64, options: StoreOptions) -> Result<Connection, StoreError> {
    let open = || {
        // A connection is used by one thread at a time, so SQLite's own mutexes are not needed.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Connection::open_with_flags(path, flags)
    };
    let mut connection = match open() {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::CannotOpen) => {
            crate::create_parent_folder(path)?;
            open()
        }
        opened => opened,
    }
    .map_err(store_error)?;
    connection.busy_timeout(options.waiting_time()).map_err(store_error)?;
    harden(&connection).map_err(store_error)?;
    // Otherwise each process that is the last to leave would copy the log into the file and wait for the disk.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).map_err(store_error)?;
    connection
        .execute_batch("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0;")
        .map_err(store_error)?;
    migrate(&mut connection, now)?;
    Ok(connection)
}

/// Opens the file to read it. The file of an older version is an error: bringing it up to date would change it.
pub(super) fn connect_to_read(path: &Path, options: StoreOptions) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(store_error)?;
    connection.busy_timeout(options.waiting_time()).map_err(store_error)?;
    harden(&connection).map_err(store_error)?;
    require_current_version(&connection)?;
    Ok(connection)
}

/// Has SQLite distrust the file: nothing in it is executed, and SQL cannot damage it.
pub(crate) fn harden(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_only_for_a_file_that_was_just_created() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("loopbreak.db");
        assert!(!was_just_created(&path), "there is no file");
        let file = fs::File::create(&path).unwrap();
        assert!(was_just_created(&path));
        file.set_modified(std::time::SystemTime::now() - 2 * CREATION_TIME).unwrap();
        assert!(!was_just_created(&path));
    }
}
