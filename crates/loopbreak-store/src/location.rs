//! Default location of the store.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::StoreError;

/// Returns the default path of the store: `$XDG_STATE_HOME/loopbreak/loopbreak.db`, or below `~/.local/state`. Returns
/// `None` if the environment names no such folder.
pub fn default_path(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    // The XDG specification says to ignore relative paths.
    let folder = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = folder("XDG_STATE_HOME")
        .or_else(|| folder("HOME").map(|home| home.join(".local/state")))
        .or_else(|| folder("LOCALAPPDATA"))?;
    Some(state.join("loopbreak").join("loopbreak.db"))
}

/// Name of the folder that belongs to Loopbreak.
const OWN_FOLDER: &str = "loopbreak";

/// Creates the folder of a file. Only the user can read it, because the store holds the actions of agents. A folder that
/// belongs to another user is an error.
pub fn create_parent_folder(path: &Path) -> Result<(), StoreError> {
    let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    if let Some(metadata) = fs::metadata(folder).ok().filter(fs::Metadata::is_dir) {
        return check_folder(folder, &metadata);
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| StoreError::File { path: folder.display().to_string(), error })
}

/// Checks the owner of a folder, and keeps other users out of one that is Loopbreak's own. Any other folder is left as it is:
/// the files in it are private by themselves.
#[cfg(unix)]
fn check_folder(folder: &Path, metadata: &fs::Metadata) -> Result<(), StoreError> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

    if !crate::private_file::is_trusted_owner(metadata.uid()) {
        return Err(StoreError::ForeignOwner { path: folder.display().to_string() });
    }
    let is_own = folder.file_name().is_some_and(|name| name == OWN_FOLDER);
    if is_own && crate::private_file::is_own(metadata) && metadata.mode() & 0o077 != 0 {
        // If that fails, the files are still private.
        let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    }
    Ok(())
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "it can fail on Unix")]
fn check_folder(_: &Path, _: &fs::Metadata) -> Result<(), StoreError> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(variables: &[(&str, &str)]) -> Option<PathBuf> {
        default_path(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into()))
    }

    #[test]
    fn the_store_is_in_the_state_folder_of_the_user() {
        let expected = Some(PathBuf::from("/state/loopbreak/loopbreak.db"));
        assert_eq!(path(&[("XDG_STATE_HOME", "/state"), ("HOME", "/home/me")]), expected);
        let expected = Some(PathBuf::from("/home/me/.local/state/loopbreak/loopbreak.db"));
        assert_eq!(path(&[("XDG_STATE_HOME", "not/absolute"), ("HOME", "/home/me")]), expected);
        assert_eq!(path(&[("HOME", "")]), None);
    }
}
