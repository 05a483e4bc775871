//! The settings file of an agent: where it is, and what changes in it.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use loopbreak_store::{now, write_copy_atomically, write_file_atomically};

use super::hook_entries::{with_hooks, without_hooks};
use super::line_diff::diff;
use crate::HookAgent;

/// Why hooks cannot be installed or removed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// The home folder of the user is not known.
    #[error("the variable HOME is not set")]
    NoHome,
    /// The path of this program is not known.
    #[error("cannot find this program: {0}")]
    NoProgram(io::Error),
    /// The path of this program cannot be written into settings.
    #[error("the path of this program is not Unicode: {0}")]
    NotUnicode(String),
    /// The settings cannot be read.
    #[error("cannot read {path}: {error}")]
    Read {
        /// The file.
        path: String,
        /// The cause.
        error: io::Error,
    },
    /// The settings are not what they should be, so nothing was changed.
    #[error("cannot change {path}: {reason}")]
    Unchangeable {
        /// The file.
        path: String,
        /// The cause.
        reason: String,
    },
    /// A file or folder cannot be written.
    #[error("cannot write {path}: {error}")]
    Write {
        /// The file.
        path: String,
        /// The cause.
        error: io::Error,
    },
}

impl InstallError {
    /// Returns what the user can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            InstallError::NoHome => Some("use --project"),
            InstallError::Unchangeable { .. } => Some("nothing was changed; fix the file first"),
            _ => None,
        }
    }

    fn write(path: &Path, error: io::Error) -> Self {
        InstallError::Write { path: path.display().to_string(), error }
    }
}

/// Whose settings are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingsScope {
    /// The project in the current folder.
    Project,
    /// All projects of the user.
    User,
}

/// The folder of an agent's settings, and the file in it.
fn names(dialect: HookAgent) -> (&'static str, &'static str) {
    match dialect {
        HookAgent::ClaudeCode => (".claude", "settings.json"),
        HookAgent::Codex => (".codex", "hooks.json"),
        HookAgent::Gemini => (".gemini", "settings.json"),
    }
}

/// Returns the settings file of an agent.
pub fn settings_file(dialect: HookAgent, scope: SettingsScope) -> Result<PathBuf, InstallError> {
    let (folder, file) = names(dialect);
    if scope == SettingsScope::Project {
        return Ok(Path::new(folder).join(file));
    }
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let moved = match dialect {
        HookAgent::ClaudeCode => variable("CLAUDE_CONFIG_DIR"),
        HookAgent::Codex => variable("CODEX_HOME"),
        HookAgent::Gemini => variable("GEMINI_CLI_HOME").map(|home| home.join(folder)),
    };
    let home = || variable("HOME").or_else(|| variable("USERPROFILE")).map(|home| home.join(folder));
    Ok(moved.or_else(home).ok_or(InstallError::NoHome)?.join(file))
}

/// What is left for the user to do.
pub fn install_hint(dialect: HookAgent) -> &'static str {
    match dialect {
        HookAgent::ClaudeCode => "sessions that run already take them up when they are started anew",
        HookAgent::Codex => {
            "Codex CLI runs no hook that you have not looked at: start it and trust them with /hooks"
        }
        HookAgent::Gemini => "Gemini CLI takes them up when it is started anew; /hooks lists them",
    }
}

/// This program as a command line for a shell, which every version of the agent understands.
pub fn hook_command(dialect: HookAgent) -> Result<String, InstallError> {
    let program = std::env::current_exe().map_err(InstallError::NoProgram)?;
    let program = program.to_str().ok_or_else(|| InstallError::NotUnicode(program.display().to_string()))?;
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+:\\".contains(letter);
    let program = if program.chars().all(plain) {
        program.to_owned()
    } else {
        format!("'{}'", program.replace('\'', r"'\''"))
    };
    Ok(format!("{program} hook {}", dialect.name()))
}

/// A change of a settings file that is not written yet.
#[derive(Debug)]
pub struct SettingsChange {
    path: PathBuf,
    old: Option<String>,
    new: String,
}

impl SettingsChange {
    /// Plans to add the hooks of an agent, or to replace those that are there.
    pub fn install(dialect: HookAgent, path: PathBuf) -> Result<Self, InstallError> {
        let command = hook_command(dialect)?;
        SettingsChange::plan(path, |text| with_hooks(dialect, text, &command))
    }

    /// Plans to remove the hooks of an agent.
    pub fn uninstall(dialect: HookAgent, path: PathBuf) -> Result<Self, InstallError> {
        SettingsChange::plan(path, |text| without_hooks(dialect, text))
    }

    fn plan(
        path: PathBuf,
        change: impl FnOnce(&str) -> Result<String, String>,
    ) -> Result<Self, InstallError> {
        let name = || path.display().to_string();
        let old = match fs::read_to_string(&path) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(InstallError::Read { path: name(), error }),
        };
        let new = change(old.as_deref().unwrap_or_default())
            .map_err(|reason| InstallError::Unchangeable { path: name(), reason })?;
        Ok(SettingsChange { path, old, new })
    }

    /// Returns the settings file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether the file already is as it should be.
    pub fn is_empty(&self) -> bool {
        self.old.as_deref().unwrap_or_default() == self.new
    }

    /// Returns the lines that change, with some context.
    pub fn diff(&self) -> String {
        diff(self.old.as_deref().unwrap_or_default(), &self.new)
    }

    /// Writes the file. Returns the path of a copy of the previous content, if there was any.
    pub fn apply(&self) -> Result<Option<PathBuf>, InstallError> {
        let Some(old) = &self.old else {
            if let Some(folder) = self.path.parent() {
                fs::create_dir_all(folder).map_err(|error| InstallError::write(folder, error))?;
            }
            save(&self.path, &self.new)?;
            return Ok(None);
        };
        // A link stays a link: the file that it points to is written.
        let real = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let mut kept = real.as_os_str().to_owned();
        kept.push(format!(".before-loopbreak-{}", now()));
        let kept = PathBuf::from(kept);
        write_copy_atomically(&kept, &real, old.as_bytes())
            .map_err(|error| InstallError::write(&kept, error))?;
        save(&real, &self.new)?;
        Ok(Some(kept))
    }
}

fn save(path: &Path, text: &str) -> Result<(), InstallError> {
    write_file_atomically(path, |out| out.write_all(text.as_bytes()))
        .map_err(|error| InstallError::write(path, error))
}
