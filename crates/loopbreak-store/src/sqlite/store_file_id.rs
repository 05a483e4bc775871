//! Tells whether the file at a path is the one that is open.

use std::fs;
use std::path::Path;

use crate::StoreError;

/// Identity of a file, which it keeps if it is renamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StoreFileId {
    device: u64,
    inode: u64,
}

impl StoreFileId {
    /// Returns the identity of the file at a path, `None` if there is no file. Makes a file of the user private, and refuses a
    /// file of another user.
    #[cfg(unix)]
    pub(super) fn inspect(path: &Path) -> Result<Option<Self>, StoreError> {
        use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

        use super::sibling;
        use crate::private_file::is_own;

        let Ok(metadata) = fs::metadata(path) else { return Ok(None) };
        if metadata.is_file() && !is_own(&metadata) {
            return Err(StoreError::ForeignOwner { path: path.display().to_string() });
        }
        if metadata.is_file() && metadata.mode() & 0o077 != 0 {
            // Files that SQLite creates later get the mode of the database.
            for file in
                [path.to_owned(), sibling(path, "-wal"), sibling(path, "-shm"), sibling(path, "-lock")]
            {
                let _ = fs::set_permissions(file, fs::Permissions::from_mode(0o600));
            }
        }
        Ok(Some(StoreFileId { device: metadata.dev(), inode: metadata.ino() }))
    }

    /// Returns the identity of the file at a path.
    #[cfg(unix)]
    pub(super) fn find(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let metadata = fs::metadata(path).ok()?;
        Some(StoreFileId { device: metadata.dev(), inode: metadata.ino() })
    }

    /// Returns nothing: an open file can be neither moved nor removed.
    #[cfg(not(unix))]
    #[expect(clippy::unnecessary_wraps, reason = "it can fail on Unix")]
    pub(super) fn inspect(_: &Path) -> Result<Option<Self>, StoreError> {
        Ok(None)
    }

    /// Returns nothing: an open file can be neither moved nor removed.
    #[cfg(not(unix))]
    pub(super) fn find(_: &Path) -> Option<Self> {
        None
    }
}
