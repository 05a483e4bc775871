//! Files for one user: what an agent prints may be secret.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

/// Creates a file that only the user can read. A file or link of that name is replaced, never written through.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    match private_options().write(true).create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs::remove_file(path)?;
            private_options().write(true).create_new(true).open(path)
        }
        created => created,
    }
}

/// Opens a file to append to it, and creates it for the user alone if there is none. A link is not followed: the one who put
/// it there would choose the file that is written.
pub(crate) fn append(path: &Path) -> io::Result<File> {
    match private_options().append(true).create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        created => return created,
    }
    let named = fs::symlink_metadata(path)?;
    if named.is_symlink() {
        return Err(io::Error::other("the file is a link; name the file itself"));
    }
    // Opening a pipe would block.
    if !named.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let file = OpenOptions::new().append(true).open(path)?;
    if !is_same(&file.metadata()?, &named) {
        return Err(io::Error::other("the file was replaced while it was opened"));
    }
    Ok(file)
}

#[cfg(unix)]
fn private_options() -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut options = OpenOptions::new();
    options.mode(0o600);
    options
}

#[cfg(not(unix))]
fn private_options() -> OpenOptions {
    OpenOptions::new()
}

#[cfg(unix)]
fn is_same(a: &fs::Metadata, b: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn is_same(a: &fs::Metadata, b: &fs::Metadata) -> bool {
    a.is_file() && b.is_file()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::io::Write as _;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn private_files_are_for_the_user_alone_and_links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mode = |name: &str| fs::metadata(at(name)).unwrap().permissions().mode() & 0o777;
        create(&at("log")).unwrap().write_all(b"1").unwrap();
        append(&at("pad")).unwrap().write_all(b"1").unwrap();
        append(&at("pad")).unwrap().write_all(b"2").unwrap();
        assert_eq!((mode("log"), mode("pad")), (0o600, 0o600));
        assert_eq!(fs::read(at("pad")).unwrap(), b"12");

        fs::write(at("victim"), "mine").unwrap();
        for name in ["link-log", "link-pad"] {
            symlink(at("victim"), at(name)).unwrap();
        }
        create(&at("link-log")).unwrap().write_all(b"theirs").unwrap();
        assert!(append(&at("link-pad")).unwrap_err().to_string().contains("link"));
        assert_eq!(fs::read(at("victim")).unwrap(), b"mine");
        assert!(!fs::symlink_metadata(at("link-log")).unwrap().is_symlink());
    }
}
