//! Logs that a program keeps in a SQLite database. Reading them is a feature of the crate, `sqlite`; without it such a file
//! is binary.

#[cfg(feature = "sqlite")]
mod sqlite_file;

#[cfg(feature = "sqlite")]
pub(crate) use sqlite_file::{SqliteFile, cannot_read};

/// First bytes of every SQLite database.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Returns whether a file that starts with these bytes is a SQLite database.
pub(crate) fn is_database(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}
