//! The program that an installed command names.

use std::fs;
use std::path::{Path, PathBuf};

use crate::hook_agent::HookAgent;
use crate::install::{SettingsScope, hook_command, is_executable, program_on_path};

/// The program that an installed command names. It is compared with this program by its path, and never run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HookProgram {
    /// The command is `PROGRAM hook AGENT`, and the program is this one.
    This,
    /// The program is another one.
    Other(PathBuf),
    /// There is no such file.
    Missing(PathBuf),
    /// The file cannot be run.
    NotExecutable(PathBuf),
    /// The command names no path, and the PATH has no such program.
    NotOnPath(String),
    /// The command is not `PROGRAM hook AGENT`.
    NotPlain,
}

impl HookProgram {
    /// Identifies the program of an installed command.
    pub fn identify(command: &str, agent: &dyn HookAgent) -> Self {
        let ending = format!(" hook {}", agent.name());
        let Some(program) = command.trim().strip_suffix(&ending) else { return HookProgram::NotPlain };
        let program = unquote(program.trim_end());
        if program.contains(std::path::is_separator) {
            return HookProgram::identify_file(Path::new(&program));
        }
        if program != "loopbreak" {
            return HookProgram::NotPlain;
        }
        match program_on_path(&program) {
            Some(path) => HookProgram::identify_file(&path),
            None => HookProgram::NotOnPath(program),
        }
    }

    fn identify_file(path: &Path) -> Self {
        let Ok(named) = fs::canonicalize(path) else {
            // The text may also be a whole command line that contains a slash.
            let is_path = path.is_absolute() && path.file_name().is_some_and(|name| name == "loopbreak");
            return if is_path { HookProgram::Missing(path.to_owned()) } else { HookProgram::NotPlain };
        };
        let this = std::env::current_exe().and_then(fs::canonicalize);
        if !is_executable(&named) {
            HookProgram::NotExecutable(path.to_owned())
        } else if this.is_ok_and(|this| this == named) {
            HookProgram::This
        } else {
            HookProgram::Other(path.to_owned())
        }
    }

    /// Describes why an agent cannot call what was just installed for it, and what to do. Only the settings of projects depend
    /// on the PATH: those of the user name the program by its path.
    pub fn installation_fault(agent: &dyn HookAgent, scope: SettingsScope) -> Option<String> {
        let command = hook_command(agent, scope).ok()?;
        match HookProgram::identify(&command, agent) {
            HookProgram::NotOnPath(name) => {
                let this = std::env::current_exe().ok();
                let folder = this.as_deref().and_then(Path::parent);
                let folder =
                    folder.map_or("the folder of this program".to_owned(), |at| at.display().to_string());
                Some(format!(
                    "`{name}` is not on the PATH, so the hooks do nothing yet: add {folder} to the PATH that the agent has"
                ))
            }
            HookProgram::Other(path) => Some(format!(
                "`loopbreak` on the PATH is another program, which the hooks will call: {}",
                path.display()
            )),
            _ => None,
        }
    }

    /// Describes why the command was not run, and what to do. `None` for this program.
    pub fn fault(&self, agent: &dyn HookAgent, scope_option: &str) -> Option<(String, String)> {
        let install = format!("loopbreak hook install {}{scope_option}", agent.name());
        let (fault, advice) = match self {
            HookProgram::This => return None,
            HookProgram::Other(path) => (
                format!("the installed command calls another program: {}", path.display()),
                format!(
                    "to use this program instead, run its `{install}`, and put its folder first on the PATH"
                ),
            ),
            HookProgram::Missing(path) => {
                (format!("the program does not exist: {}", path.display()), format!("run `{install}` again"))
            }
            HookProgram::NotExecutable(path) => (
                format!("the program cannot be run: {}", path.display()),
                format!("make it executable, or run `{install}` again"),
            ),
            HookProgram::NotOnPath(name) => (
                format!("`{name}` is not on the PATH"),
                "add the folder of this program to the PATH that the agent has".to_owned(),
            ),
            HookProgram::NotPlain => (
                "the installed command is not a plain call of this program".to_owned(),
                format!("if you did not write it, remove it; `{install}` replaces it"),
            ),
        };
        Some((fault, advice))
    }
}

/// Removes the quotes that [`hook_command`](crate::install::hook_command) adds. Any other text is returned as it is.
fn unquote(word: &str) -> String {
    match word.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        Some(inner) => inner.replace(r"'\''", "'"),
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identify(program: &str) -> HookProgram {
        HookProgram::identify(&format!("{program} hook codex"), "codex".parse().unwrap())
    }

    #[test]
    fn a_program_is_identified_by_its_path() {
        let this = std::env::current_exe().unwrap();
        assert_eq!(identify(this.to_str().unwrap()), HookProgram::This);
        assert_eq!(identify(&format!("'{}'", this.display())), HookProgram::This);
        let folder = tempfile::tempdir().unwrap();
        let other = folder.path().join("loopbreak");
        assert_eq!(identify(other.to_str().unwrap()), HookProgram::Missing(other.clone()));
        fs::write(&other, "").unwrap();
        if cfg!(unix) {
            assert_eq!(identify(other.to_str().unwrap()), HookProgram::NotExecutable(other));
        }
    }

    #[test]
    fn other_command_lines_are_not_plain() {
        for program in
            ["touch x; loopbreak", "sh -c /bin/loopbreak", "/bin/sh -c loopbreak", "cd /x && loopbreak"]
        {
            assert_eq!(identify(program), HookProgram::NotPlain, "{program}");
        }
        let agent: &dyn HookAgent = "codex".parse().unwrap();
        assert_eq!(HookProgram::identify("loopbreak hook codex; ls", agent), HookProgram::NotPlain);
    }
}
