//! Opening the file of the store, also by many at once, and also where there is none yet.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::migrate::migrate;
use crate::sqlite::{Options, told};
use crate::{StoreError, damage};

/// How long to wait before a file that others are at the beginning of is looked at again.
const AGAIN: Duration = Duration::from_millis(5);
/// How long the beginning of a file may take others, in which it cannot be written.
const BEGINNING: Duration = Duration::from_secs(1);

/// Opens the file, and brings it up to date. Where several begin a new one at once, SQLite tells some of them at once that it is
/// busy, or cannot be written: they try again.
pub(crate) fn connect(path: &Path, now: i64, options: Options) -> Result<Connection, StoreError> {
    let began = Instant::now();
    loop {
        let tried = try_connect(path, now, options);
        let longest = match &tried {
            Err(StoreError::Busy) => options.patience,
            Err(StoreError::Database(why)) if why.contains("readonly") && is_young(path) => {
                options.patience.min(BEGINNING)
            }
            _ => return tried,
        };
        if began.elapsed() >= longest {
            return tried;
        }
        thread::sleep(AGAIN);
    }
}

/// Whether a file may still be in its beginning. Nobody is to wait for one that was put there read-only.
fn is_young(path: &Path) -> bool {
    let changed = fs::metadata(path).and_then(|about| about.modified());
    changed.is_ok_and(|at| at.elapsed().is_ok_and(|age| age < BEGINNING))
}

/// Makes a new file with all its tables beside the place, and puts it there unless somebody was quicker: nobody sees one that
/// is half made. Where that cannot be done, it is made in its place.
fn begin(path: &Path, now: i64) -> Option<()> {
    static BEGUN: AtomicU64 = AtomicU64::new(0);
    let number = BEGUN.fetch_add(1, Ordering::Relaxed);
    let beside = damage::beside(path, &format!("-new-{}-{number}", std::process::id()));
    crate::make_folder(path).ok()?;
    let made = Connection::open(&beside).map_err(told).and_then(|mut file| {
        migrate(&mut file, now)?;
        // With this its log of changes is gone, and it is one file.
        file.close().map_err(|(_, error)| told(error))
    });
    let put = made.ok().and_then(|()| fs::hard_link(&beside, path).ok());
    let _ = fs::remove_file(&beside);
    put
}

fn try_connect(path: &Path, now: i64, options: Options) -> Result<Connection, StoreError> {
    if !path.exists() {
        let _ = begin(path, now);
    }
    let open = || {
        // One process, one thread: SQLite's own locks would only cost.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Connection::open_with_flags(path, flags)
    };
    let mut connection = match open() {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::CannotOpen) => {
            crate::make_folder(path)?;
            open()
        }
        opened => opened,
    }
    .map_err(told)?;
    connection.busy_timeout(options.patience).map_err(told)?;
    // Otherwise each process, being the last to leave, would write everything into the file and wait for the disk.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).map_err(told)?;
    connection.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0;").map_err(told)?;
    migrate(&mut connection, now)?;
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_that_was_just_begun_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("loopbreak.db");
        assert!(!is_young(&path), "there is none");
        let file = fs::File::create(&path).unwrap();
        assert!(is_young(&path));
        file.set_modified(std::time::SystemTime::now() - 2 * BEGINNING).unwrap();
        assert!(!is_young(&path));
    }
}
