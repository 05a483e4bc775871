//! Errors of a store.

use std::path::PathBuf;

/// An error of a store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Other processes kept the store locked for too long.
    #[error("the store is busy: other processes have kept it locked for too long")]
    Busy,
    /// The store was written by a later version. Nothing in it was changed.
    #[error(
        "the store was written by {writer}, but {} is the older version {OWN_VERSION}, which cannot read it: \
         update that program",
        .program.display(),
        writer = describe_writer(.written_by.as_deref()),
    )]
    TooNew {
        /// Version of the tables of the store.
        found: u32,
        /// Latest version of the tables that this program reads.
        known: u32,
        /// Version of Loopbreak that wrote the tables, if the store says so.
        written_by: Option<String>,
        /// Path of this program.
        program: PathBuf,
    },
    /// The store is damaged.
    #[error("the store is damaged: {0}")]
    Damaged(String),
    /// The file is a database, but its content is not what Loopbreak writes.
    #[error("the content of the store is damaged: {0}")]
    Inconsistent(String),
    /// The file was moved, removed or replaced while a change was made. The change was not written.
    #[error("the store was moved, removed or replaced during a change")]
    Replaced,
    /// A folder or file of the store belongs to another user, who could read or change what is stored.
    #[error("{path} belongs to another user: remove it, or set XDG_STATE_HOME to a folder of your own")]
    ForeignOwner {
        /// The folder or file.
        path: String,
    },
    /// A folder or file cannot be created or moved.
    #[error("cannot use {path}: {error}")]
    File {
        /// The folder or file.
        path: String,
        /// Error of the operating system.
        error: std::io::Error,
    },
    /// The database cannot be reached, or is busy or shutting down. It may work later.
    #[error("the database is not available: {0}")]
    Unavailable(String),
    /// Any other error of the database.
    #[error("the store failed: {0}")]
    Database(String),
}

/// Version of this program. All packages of the workspace have the same.
const OWN_VERSION: &str = env!("CARGO_PKG_VERSION");

fn describe_writer(version: Option<&str>) -> String {
    version.map_or_else(|| "a newer Loopbreak".to_owned(), |version| format!("Loopbreak {version}"))
}

impl StoreError {
    /// Returns whether the store has to be replaced or a run has to start over. Locks, a full disk, missing permissions and a
    /// store of a later version are no damage.
    pub fn is_damage(&self) -> bool {
        matches!(self, StoreError::Damaged(_) | StoreError::Inconsistent(_))
    }
}
