//! Folders for trials.

use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Path, PathBuf};

use loopbreak_store::now;

/// A folder that only this user can read, and that is removed when it is dropped.
pub(crate) struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// Creates a folder. It is an error if the name is taken already. Errors name the folder that it would be in.
    pub(crate) fn new(purpose: &str) -> io::Result<Self> {
        let parent = std::env::temp_dir();
        TemporaryFolder::create(&parent, purpose)
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", parent.display())))
    }

    fn create(parent: &Path, purpose: &str) -> io::Result<Self> {
        let name = format!("loopbreak-{purpose}-{}-{}", std::process::id(), now());
        // Agents write down where they work, so the path has no links in it.
        let path = fs::canonicalize(parent)?.join(name);
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path)?;
        Ok(TemporaryFolder(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // The system cleans its folder for temporary files, so a failure does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}
