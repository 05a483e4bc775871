//! The file that a settings file really is.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Finds the file to write for a settings file. A cloned repository can contain links, so a link is followed only to a file that
/// belongs to the user and lies in the home folder or in the project. The error is the reason why nothing may be written.
pub(super) fn find_target(path: &Path) -> Result<PathBuf, String> {
    let is_link = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
    // The folder of a user is where the environment says; that of a project may be a link of the repository.
    let folder =
        path.parent().filter(|_| path.is_relative()).and_then(|folder| fs::canonicalize(folder).ok());
    if !is_link {
        return match folder {
            Some(folder) if !is_own_place(&folder) => Err(format!(
                "its folder is a link to {}, outside the project and your home folder",
                folder.display()
            )),
            _ => Ok(path.to_owned()),
        };
    }
    let target = fs::canonicalize(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => "it is a link that leads nowhere".to_owned(),
        _ => format!("it is a link that cannot be followed: {error}"),
    })?;
    if !is_own_place(&target) {
        return Err(format!(
            "it is a link to {}, outside the project and your home folder",
            target.display()
        ));
    }
    if !is_own_file(&target) {
        return Err(format!("it is a link to {}, which belongs to another user", target.display()));
    }
    Ok(target)
}

/// Returns whether a file has other names, which keep the old content when this one is replaced.
#[cfg(unix)]
pub(super) fn has_other_names(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    fs::metadata(path).is_ok_and(|metadata| metadata.nlink() > 1)
}

#[cfg(not(unix))]
pub(super) fn has_other_names(_path: &Path) -> bool {
    false
}

/// Returns whether a real path lies in the home folder of the user or in the project.
fn is_own_place(path: &Path) -> bool {
    let home = ["HOME", "USERPROFILE"].iter().filter_map(std::env::var_os).map(PathBuf::from);
    let places = home.chain(std::env::current_dir());
    places.filter_map(|place| fs::canonicalize(place).ok()).any(|place| path.starts_with(place))
}

#[cfg(unix)]
fn is_own_file(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    fs::metadata(path).is_ok_and(|metadata| metadata.uid() == nix::unistd::geteuid().as_raw())
}

#[cfg(not(unix))]
fn is_own_file(_path: &Path) -> bool {
    true
}
