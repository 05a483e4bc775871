//! The files that an agent may not change: those that count for its session.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::shell_command::UNKNOWN;
use crate::agents;
use crate::hook_agent::HookAgent;
use crate::install::SettingsScope;

/// The kind of a protected file.
#[derive(Clone, Copy)]
pub(super) enum ProtectedFile {
    /// A `loopbreak.toml` that applies to the session.
    Configuration,
    /// A `pyproject.toml` that applies to the session. Only its tables of Loopbreak are protected.
    Pyproject,
    /// A file in the user's configuration folder of Loopbreak, or beside the store.
    OwnFolder,
    /// A settings file that hooks are installed into. Only the hooks of Loopbreak are protected.
    AgentSettings(&'static dyn HookAgent),
}

/// The files of a session that its agent may not change.
pub(super) struct ProtectedFiles {
    /// The folder of the session.
    folder: PathBuf,
    /// Folders that belong to Loopbreak as a whole.
    own_folders: Vec<PathBuf>,
}

impl ProtectedFiles {
    /// Creates the list for a session.
    pub(super) fn new(folder: &Path, own_files: &[Option<&Path>]) -> Self {
        let own_folders = own_files.iter().flatten().filter_map(|file| file.parent());
        ProtectedFiles { folder: real(folder), own_folders: own_folders.map(real).collect() }
    }

    /// Returns what a file is, or `None` if the agent may change it.
    pub(super) fn find(&self, path: &Path) -> Option<ProtectedFile> {
        let (parent, name) = (path.parent().map(real)?, path.file_name()?);
        let path = parent.join(name);
        if self.own_folders.iter().any(|own| path.starts_with(own)) {
            return Some(ProtectedFile::OwnFolder);
        }
        let applies = self.folder.ancestors().any(|folder| folder == parent);
        match name.to_str() {
            Some("loopbreak.toml") if applies => return Some(ProtectedFile::Configuration),
            Some("pyproject.toml") if applies => return Some(ProtectedFile::Pyproject),
            _ => {}
        }
        let is_settings_of = |agent: &&'static dyn HookAgent| {
            let location = agent.settings_location();
            let is_user = location.path(SettingsScope::User).is_ok_and(|user| {
                user.parent()
                    .zip(user.file_name())
                    .is_some_and(|(folder, name)| real(folder).join(name) == path)
            });
            let in_project = location.path(SettingsScope::Project).ok();
            let mut folders = self.folder.ancestors();
            is_user || in_project.is_some_and(|file| folders.any(|folder| folder.join(&file) == path))
        };
        agents::ALL.iter().copied().find(is_settings_of).map(ProtectedFile::AgentSettings)
    }
}

/// Returns the absolute path that a text stands for in a folder, or `None` if only a shell knows it.
pub(super) fn resolve(folder: &Path, text: &str) -> Option<PathBuf> {
    let text = expand(text)?;
    if text.is_empty() || text.contains([UNKNOWN, '$']) {
        return None;
    }
    let mut path = PathBuf::new();
    for part in folder.join(text).components() {
        match part {
            Component::ParentDir => _ = path.pop(),
            Component::CurDir => {}
            part => path.push(part),
        }
    }
    Some(path)
}

/// Replaces the home folder and the folders of XDG at the beginning of a path.
fn expand(text: &str) -> Option<String> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    if text == "~" || text.starts_with("~/") {
        return Some(variable("HOME")? + &text[1..]);
    }
    for name in ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"] {
        for form in [format!("${{{name}}}"), format!("${name}")] {
            if let Some(rest) =
                text.strip_prefix(&form).filter(|rest| rest.is_empty() || rest.starts_with('/'))
            {
                return Some(variable(name)? + rest);
            }
        }
    }
    Some(text.to_owned())
}

/// Follows the links in a path, as far as it exists.
fn real(path: &Path) -> PathBuf {
    for folder in path.ancestors() {
        if let Ok(real) = fs::canonicalize(folder) {
            return path.strip_prefix(folder).map_or(real.clone(), |rest| {
                if rest.as_os_str().is_empty() { real.clone() } else { real.join(rest) }
            });
        }
    }
    path.to_owned()
}
