//! Files that only the user can read, and files that are opened without waiting for anybody.
//!
//! A name may lead to a pipe, a device, a link or a file that others can read. Opening a pipe would wait for another process,
//! and an agent would wait with it.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::Path;

/// Opens a file of the store's folder with these options. A new file is readable for the user only, and so is one of the user
/// that was readable for others. A link, a pipe or a device is an error.
pub fn open_private_file(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600).custom_flags(nix::libc::O_NOFOLLOW | nix::libc::O_NONBLOCK);
    }
    let file = options.open(path)?;
    let metadata = require_file(&file)?;
    make_private(&file, &metadata);
    Ok(file)
}

/// Like [`open_private_file`]. A file of another user is an error.
pub fn open_own_file(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let file = open_private_file(path, options)?;
    #[cfg(unix)]
    if !is_own(&file.metadata()?) {
        return Err(io::Error::new(ErrorKind::PermissionDenied, "it belongs to another user"));
    }
    Ok(file)
}

/// Opens a file for reading. Links are followed, but a pipe or a device is an error, and nothing waits for it.
pub fn open_regular_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, nix::libc::O_NONBLOCK);
    let file = options.open(path)?;
    require_file(&file)?;
    Ok(file)
}

fn require_file(file: &File) -> io::Result<Metadata> {
    let metadata = file.metadata()?;
    if metadata.is_file() {
        Ok(metadata)
    } else {
        Err(io::Error::new(ErrorKind::InvalidInput, "it is not a file"))
    }
}

/// Removes the permissions of others from a file of the user. If that fails, the file is as it was.
#[cfg(unix)]
fn make_private(file: &File, metadata: &Metadata) {
    use std::os::unix::fs::PermissionsExt as _;
    if metadata.permissions().mode() & 0o077 != 0 && is_own(metadata) {
        let _ = file.set_permissions(std::fs::Permissions::from_mode(0o600));
    }
}

#[cfg(not(unix))]
fn make_private(_: &File, _: &Metadata) {}

/// Returns whether a file belongs to the user of this process.
#[cfg(unix)]
pub(crate) fn is_own(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    metadata.uid() == nix::unistd::geteuid().as_raw()
}

/// Returns whether a folder of this owner may hold the store: one of the user, or one of the system.
#[cfg(unix)]
pub(crate) fn is_trusted_owner(owner: u32) -> bool {
    owner == 0 || owner == nix::unistd::geteuid().as_raw()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn append(path: &Path) -> io::Result<File> {
        open_private_file(path, OpenOptions::new().append(true).create(true))
    }

    #[test]
    fn a_file_of_the_user_becomes_private_and_a_link_or_a_folder_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        append(&path).unwrap();
        assert_eq!(mode(&path), 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        append(&path).unwrap();
        assert_eq!(mode(&path), 0o600);
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(append(&link).is_err());
        assert!(open_regular_file(&link).is_ok(), "reading follows links");
        assert!(open_regular_file(folder.path()).is_err());
    }

    /// Opening a pipe would wait until another process opens its other end.
    #[test]
    fn a_pipe_is_refused_without_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert!(append(&path).is_err());
        assert!(open_regular_file(&path).is_err());
    }
}
