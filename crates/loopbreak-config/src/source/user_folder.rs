//! The user's own configuration file.

use std::ffi::OsString;
use std::path::PathBuf;

/// Returns the path of the user's own configuration file: `$XDG_CONFIG_HOME/loopbreak/loopbreak.toml`, or below
/// `~/.config`. Returns `None` if the environment names no such folder. The file need not exist.
pub fn user_config_path(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    // The XDG specification says to ignore relative paths.
    let folder = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let config = folder("XDG_CONFIG_HOME")
        .or_else(|| folder("HOME").map(|home| home.join(".config")))
        .or_else(|| folder("APPDATA"))?;
    Some(config.join("loopbreak").join("loopbreak.toml"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(variables: &[(&str, &str)]) -> Option<PathBuf> {
        user_config_path(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
        })
    }

    #[test]
    fn the_file_is_in_the_configuration_folder_of_the_user() {
        let expected = Some(PathBuf::from("/config/loopbreak/loopbreak.toml"));
        assert_eq!(path(&[("XDG_CONFIG_HOME", "/config"), ("HOME", "/home/me")]), expected);
        let expected = Some(PathBuf::from("/home/me/.config/loopbreak/loopbreak.toml"));
        assert_eq!(path(&[("XDG_CONFIG_HOME", "relative"), ("HOME", "/home/me")]), expected);
        assert_eq!(path(&[]), None);
    }
}
