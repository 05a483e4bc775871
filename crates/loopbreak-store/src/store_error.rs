//! Errors of a store.

/// An error of a store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Other processes kept the store locked for too long.
    #[error("the store is busy: other processes have kept it locked for too long")]
    Busy,
    /// The store was written by a later version.
    #[error(
        "the store has version {found}, but this Loopbreak reads versions up to {known}: update Loopbreak"
    )]
    TooNew {
        /// Version of the store.
        found: u32,
        /// Latest version that this program reads.
        known: u32,
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
    /// Any other error of the database.
    #[error("the store failed: {0}")]
    Database(String),
}

impl StoreError {
    /// Returns whether the store has to be replaced or a run has to start over. Locks, a full disk, missing permissions and a
    /// store of a later version are no damage.
    pub fn is_damage(&self) -> bool {
        matches!(self, StoreError::Damaged(_) | StoreError::Inconsistent(_))
    }
}
