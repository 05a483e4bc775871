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

/// Creates the folder of a file. Only the user can read it, because the store holds the actions of agents.
pub fn create_parent_folder(path: &Path) -> Result<(), StoreError> {
    let Some(folder) = path.parent() else { return Ok(()) };
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| StoreError::File { path: folder.display().to_string(), error })
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
