//! The locations of settings files.

use std::path::{Path, PathBuf};

use super::InstallError;

/// The scope of hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SettingsScope {
    /// The project in the current folder.
    Project,
    /// All projects of the user.
    User,
}

/// The location of an agent's settings file, in a project and for the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettingsLocation {
    folder: &'static str,
    user_folder: Option<&'static str>,
    file: &'static str,
    folder_variable: Option<&'static str>,
    home_variable: Option<&'static str>,
}

impl SettingsLocation {
    /// Creates the location of a file in a folder of the project or of the user's home folder.
    pub const fn new(folder: &'static str, file: &'static str) -> Self {
        SettingsLocation { folder, user_folder: None, file, folder_variable: None, home_variable: None }
    }

    /// Names the folder in the user's home folder, if it differs from that in a project.
    #[must_use]
    pub const fn with_user_folder(self, folder: &'static str) -> Self {
        SettingsLocation { user_folder: Some(folder), ..self }
    }

    /// Names the environment variable that replaces the folder of the user.
    #[must_use]
    pub const fn with_folder_variable(self, name: &'static str) -> Self {
        SettingsLocation { folder_variable: Some(name), ..self }
    }

    /// Names the environment variable that replaces the user's home folder.
    #[must_use]
    pub const fn with_home_variable(self, name: &'static str) -> Self {
        SettingsLocation { home_variable: Some(name), ..self }
    }

    /// Returns the path of the settings file.
    pub fn path(self, scope: SettingsScope) -> Result<PathBuf, InstallError> {
        if scope == SettingsScope::Project {
            return Ok(Path::new(self.folder).join(self.file));
        }
        if let Some(folder) = self.folder_variable.and_then(variable) {
            return Ok(folder.join(self.file));
        }
        let folder = self.user_folder.unwrap_or(self.folder);
        Ok(self.home().ok_or(InstallError::NoHome)?.join(folder).join(self.file))
    }

    /// Returns the folder in which the agent keeps everything of the user, whether it exists or not.
    pub fn user_folder(self) -> Option<PathBuf> {
        if let Some(folder) = self.folder_variable.and_then(variable) {
            return Some(folder);
        }
        let folder = Path::new(self.user_folder.unwrap_or(self.folder));
        // A folder that several programs share says nothing about the agent: `.config/opencode`, but `.claude`.
        let is_own = |first: &str| first.starts_with('.') && first != ".config" && first != ".local";
        let first = folder.iter().next().and_then(|first| first.to_str()).unwrap_or_default();
        let depth = if is_own(first) { 1 } else { 2 };
        Some(self.home()?.join(folder.iter().take(depth).collect::<PathBuf>()))
    }

    fn home(self) -> Option<PathBuf> {
        self.home_variable.into_iter().chain(["HOME", "USERPROFILE"]).find_map(variable)
    }
}

/// Returns a variable of the environment that is not empty.
fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}
