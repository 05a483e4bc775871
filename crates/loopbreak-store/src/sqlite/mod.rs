//! The store in one SQLite file.
//!
//! - `store`: reads, and the store itself
//! - `transaction`: changes of one run
//! - `connection`: opens and creates the file, also for many processes at once
//! - `migrations`: the tables, and the migrations of older files
//! - `rows`: conversion between values and rows
//! - `prune`: removes old runs
//! - `quarantine`: moves a damaged file away
//! - `run_lock_file`: locks a run for one process

mod connection;
mod migrations;
mod prune;
mod quarantine;
mod rows;
mod run_lock_file;
mod store;
mod transaction;

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use crate::StoreError;
use crate::backend::StoreBackend;
use store::SqliteStore;

/// The entry of this backend in the list of backends.
pub(crate) const BACKEND: StoreBackend = StoreBackend {
    scheme: "sqlite",
    open: |url, options| Ok(Box::new(SqliteStore::open(url.as_path(), options)?)),
    repair: |url, options| Ok(Box::new(SqliteStore::repair(url.as_path(), options)?)),
    exists: |url| url.as_path().exists(),
};

/// Returns whether SQLite reports that the file is damaged or not a database.
fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

/// Converts an error of SQLite.
#[expect(clippy::needless_pass_by_value, reason = "used with `map_err`")]
fn store_error(error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        _ if is_damage(&error) => StoreError::Damaged(error.to_string()),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy,
        _ => StoreError::Database(error.to_string()),
    }
}

/// Appends a suffix to the name of the store's file.
fn sibling(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
