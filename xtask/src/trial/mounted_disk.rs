//! A small file system in memory.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::chore_failure::ChoreFailure;
use crate::process::works;

/// A file system in memory. It is unmounted at the end.
pub(crate) struct MountedDisk(PathBuf);

impl MountedDisk {
    /// Mounts a file system, if this process may do that.
    pub(crate) fn mount(folder: &Path, size: &str) -> Option<Self> {
        fs::create_dir_all(folder).ok()?;
        let options = format!("size={size}");
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(folder);
        works(&mut command).then(|| MountedDisk(folder.to_owned()))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn resize(&self, size: &str) -> Result<(), ChoreFailure> {
        let options = format!("remount,size={size}");
        if works(Command::new("mount").args(["-o", &options]).arg(&self.0)) {
            return Ok(());
        }
        Err(ChoreFailure::Failed("cannot change the size of a file system".to_owned()))
    }
}

impl Drop for MountedDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).stderr(Stdio::null()).status();
    }
}
