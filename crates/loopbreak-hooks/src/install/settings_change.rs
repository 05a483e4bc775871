//! Changes of an agent's settings file.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use loopbreak_store::{now, write_copy_atomically, write_file_atomically};

use super::hook_entries::{with_hooks, without_hooks};
use super::install_error::InstallError;
use super::line_diff::diff;
use super::settings_location::SettingsScope;
use super::settings_target::{find_target, has_other_names};
use crate::bounded_file::read_bounded;
use crate::hook_agent::HookAgent;

/// Returns the command that calls this program as a hook, quoted for a shell. Every version of the agents accepts a
/// command line; some do not accept a list of arguments.
pub fn hook_command(agent: &dyn HookAgent, scope: SettingsScope) -> Result<String, InstallError> {
    if scope == SettingsScope::Project {
        // Teams commit the settings of a project, so they contain no path of this machine.
        return Ok(format!("loopbreak hook {}", agent.name()));
    }
    let program = std::env::current_exe().map_err(InstallError::NoProgram)?;
    let program = program.to_str().ok_or_else(|| InstallError::NotUnicode(program.display().to_string()))?;
    let needs_no_quotes = |letter: char| letter.is_ascii_alphanumeric() || "/._-+:\\".contains(letter);
    let program = if program.chars().all(needs_no_quotes) {
        program.to_owned()
    } else {
        format!("'{}'", program.replace('\'', r"'\''"))
    };
    Ok(format!("{program} hook {}", agent.name()))
}

/// A change of a settings file that has not been written yet.
#[derive(Debug)]
pub struct SettingsChange {
    path: PathBuf,
    /// The file that is written, if the path is a link.
    target: PathBuf,
    old: Option<String>,
    new: String,
}

impl SettingsChange {
    /// Plans to add the hooks of an agent, or to replace the installed ones.
    pub fn install(agent: &dyn HookAgent, path: PathBuf, scope: SettingsScope) -> Result<Self, InstallError> {
        let command = hook_command(agent, scope)?;
        SettingsChange::plan(path, |text| with_hooks(agent, text, &command))
    }

    /// Plans to remove the hooks of an agent.
    pub fn uninstall(agent: &dyn HookAgent, path: PathBuf) -> Result<Self, InstallError> {
        SettingsChange::plan(path, |text| {
            let left = without_hooks(agent, text)?;
            // A file that had nothing else is removed.
            let is_empty = left.trim() == agent.empty_settings().trim();
            Ok(if left != text && is_empty { String::new() } else { left })
        })
    }

    fn plan(
        path: PathBuf,
        change: impl FnOnce(&str) -> Result<String, String>,
    ) -> Result<Self, InstallError> {
        let name = || path.display().to_string();
        let old = match read_bounded(&path) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(InstallError::Read { path: name(), error }),
        };
        let target =
            find_target(&path).map_err(|reason| InstallError::Unchangeable { path: name(), reason })?;
        let new = change(old.as_deref().unwrap_or_default())
            .map_err(|reason| InstallError::Unchangeable { path: name(), reason })?;
        Ok(SettingsChange { path, target, old, new })
    }

    /// Returns the path of the settings file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.old.as_deref().unwrap_or_default() == self.new
    }

    /// Returns the changed lines, with some context.
    pub fn diff(&self) -> String {
        diff(self.old.as_deref().unwrap_or_default(), &self.new)
    }

    /// Describes the change of a file that has nothing but the hooks of Loopbreak, before or after it. `None` for every other
    /// file: what changes beside lines of the user is worth reading.
    pub fn summary(&self) -> Option<String> {
        let old = self.old.as_deref().unwrap_or_default();
        match (old.trim().is_empty(), self.new.trim().is_empty()) {
            (true, false) => Some(format!("a new file of {} lines", self.new.lines().count())),
            (false, true) => Some("removed, as it had nothing but the hooks of Loopbreak".to_owned()),
            _ => None,
        }
    }

    /// Returns what the user should know about the file before it is written.
    pub fn note(&self) -> Option<String> {
        if self.target != self.path {
            return Some(format!("it is a link, so {} is changed", self.target.display()));
        }
        let note = "it has other names (hard links), which keep the old content";
        has_other_names(&self.path).then(|| note.to_owned())
    }

    /// Writes the file. Returns the path of the backup, if there was a file before.
    pub fn apply(&self) -> Result<Option<PathBuf>, InstallError> {
        let Some(old) = &self.old else {
            if let Some(folder) = self.path.parent() {
                fs::create_dir_all(folder).map_err(|error| InstallError::write(folder, error))?;
            }
            save(&self.path, &self.new)?;
            return Ok(None);
        };
        if self.new.trim().is_empty() {
            // The file had nothing but the hooks of Loopbreak, so there is nothing to keep.
            for file in [&self.path, &self.target] {
                match fs::remove_file(file) {
                    Err(error) if error.kind() != ErrorKind::NotFound => {
                        return Err(InstallError::write(file, error));
                    }
                    _ => {}
                }
            }
            return Ok(None);
        }
        // A symbolic link is kept: the file that it points to is written.
        let real = &self.target;
        let mut backup = real.as_os_str().to_owned();
        backup.push(format!(".before-loopbreak-{}", now()));
        let backup = PathBuf::from(backup);
        write_copy_atomically(&backup, real, old.as_bytes())
            .map_err(|error| InstallError::write(&backup, error))?;
        save(real, &self.new)?;
        Ok(Some(backup))
    }
}

fn save(path: &Path, text: &str) -> Result<(), InstallError> {
    write_file_atomically(path, |out| out.write_all(text.as_bytes()))
        .map_err(|error| InstallError::write(path, error))
}
