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
