//! Where the store is.

use std::ffi::OsString;
use std::path::PathBuf;

/// The file of the store: `$XDG_STATE_HOME/loopbreak/loopbreak.db`, by default under `~/.local/state`. Nothing where
/// the environment names no folder of the user's.
pub fn default_path(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    // The standard says that a relative path here is to be ignored.
    let folder = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = folder("XDG_STATE_HOME")
        .or_else(|| folder("HOME").map(|home| home.join(".local/state")))
        .or_else(|| folder("LOCALAPPDATA"))?;
    Some(state.join("loopbreak").join("loopbreak.db"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(variables: &[(&str, &str)]) -> Option<PathBuf> {
        default_path(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into()))
    }

    #[test]
    fn the_state_folder_is_that_of_the_user() {
        let expected = Some(PathBuf::from("/state/loopbreak/loopbreak.db"));
        assert_eq!(path(&[("XDG_STATE_HOME", "/state"), ("HOME", "/home/me")]), expected);
        let expected = Some(PathBuf::from("/home/me/.local/state/loopbreak/loopbreak.db"));
        assert_eq!(path(&[("XDG_STATE_HOME", "not/absolute"), ("HOME", "/home/me")]), expected);
        assert_eq!(path(&[("HOME", "")]), None);
    }
}
