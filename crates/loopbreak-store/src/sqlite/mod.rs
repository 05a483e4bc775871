//! The store in one SQLite file.
//!
//! - `store`: reads, and the store itself
//! - `transaction`: changes of one run
//! - `connection`: opens and creates the file, also for many processes at once
//! - `store_file_id`: tells whether the file at the path is the one that is open
//! - `migrations`: the tables, and the migrations of older files
//! - `rows`: conversion between values and rows
//! - `event_reader`: reads the events of a run around damage
//! - `outbox_rows`: steps that have to be sent to servers
//! - `prune`: removes old runs
//! - `quarantine`: moves a damaged file away
//! - `run_lock_file`: locks a run for one process

mod connection;
mod event_reader;
mod migrations;
mod outbox_rows;
mod prune;
mod quarantine;
mod rows;
mod run_lock_file;
mod spending;
mod store;
mod store_file_id;
mod transaction;

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use crate::StoreError;
use crate::backend::StoreBackend;
use store::SqliteStore;

pub(crate) use connection::harden;
pub(crate) use migrations::apply_migrations;

/// The entry of this backend in the list of backends.
pub(crate) const BACKEND: StoreBackend = StoreBackend {
    scheme: "sqlite",
    open: |url, options| Ok(Box::new(SqliteStore::open(url.as_path(), options)?)),
    read: |url, options| Ok(Box::new(SqliteStore::read(url.as_path(), options)?)),
    repair: |url, options| Ok(Box::new(SqliteStore::repair(url.as_path(), options)?)),
    exists: |url| url.as_path().exists(),
};

/// Returns whether SQLite reports that the file is damaged or not a database.
fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

/// Converts an error of SQLite. What is neither the fault of the system nor of other processes is damage.
#[expect(clippy::needless_pass_by_value, reason = "used with `map_err`")]
pub(crate) fn store_error(error: rusqlite::Error) -> StoreError {
    use rusqlite::Error;
    let text = describe(&error);
    match error.sqlite_error_code() {
        _ if is_damage(&error) => StoreError::Damaged(text),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed) => {
            StoreError::Busy
        }
        // SQLite reports a missing table or an unknown file format with its general code.
        Some(
            ErrorCode::Unknown
            | ErrorCode::SchemaChanged
            | ErrorCode::ConstraintViolation
            | ErrorCode::TypeMismatch
            | ErrorCode::InternalMalfunction,
        ) => StoreError::Inconsistent(text),
        Some(_) => StoreError::Database(text),
        None => match error {
            Error::InvalidColumnType(..)
            | Error::FromSqlConversionFailure(..)
            | Error::IntegralValueOutOfRange(..)
            | Error::Utf8Error(..)
            | Error::ToSqlConversionFailure(..)
            | Error::SqlInputError { .. }
            | Error::QueryReturnedNoRows => StoreError::Inconsistent(text),
            _ => StoreError::Database(text),
        },
    }
}

/// Describes an error on one line, without the SQL that it occurred in.
fn describe(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
        error => error.to_string(),
    }
    .split_whitespace()
    .collect::<Vec<_>>()
    .join(" ")
}

/// Appends a suffix to the name of the store's file.
fn sibling(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
