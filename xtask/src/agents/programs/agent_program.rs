//! The configuration and the start of an agent.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::agents::agent_package::AgentPackage;
use crate::agents::session_setup::SessionSetup;
use crate::chore_failure::ChoreFailure;

/// A coding agent that parts are played with.
pub(crate) trait AgentProgram: Sync {
    /// Returns the name on the command line.
    fn name(&self) -> &'static str;

    /// Returns the name of its tools in [`ToolDialect`](loopbreak_hooks::scripted_model::ToolDialect).
    fn dialect(&self) -> &'static str {
        self.name()
    }

    /// Returns the package.
    fn package(&self) -> AgentPackage;

    /// Installs the package below a folder unless it is there, and returns the path of its program.
    fn install(&self, folder: &Path) -> Result<PathBuf, ChoreFailure> {
        self.package().install(folder)
    }

    /// Writes the settings of the agent, and installs the hooks as its guide says, or its plugin if the variant wants it.
    fn prepare(&self, setup: &SessionSetup) -> Result<(), ChoreFailure>;

    /// Returns the command that runs the agent with a prompt, without a terminal.
    fn command(&self, setup: &SessionSetup, prompt: &str) -> Command;

    /// Returns the folder of the agent's own logs, below the home folder, if `loopbreak analyze` reads them.
    fn log_folder(&self) -> Option<&'static str> {
        None
    }

    /// Returns the logs of a session that has ended. That of the main agent comes first.
    fn logs(&self, setup: &SessionSetup) -> Result<Vec<PathBuf>, ChoreFailure> {
        self.log_folder().map_or(Ok(Vec::new()), |folder| logs_in(&setup.home.join(folder)))
    }
}

/// Lists the JSON Lines files below a folder, oldest first.
fn logs_in(folder: &Path) -> Result<Vec<PathBuf>, ChoreFailure> {
    let failed = |error: &std::io::Error| ChoreFailure::io(format_args!("list {}", folder.display()), error);
    let mut logs = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop().filter(|folder| folder.is_dir()) {
        for entry in fs::read_dir(&folder).map_err(|error| failed(&error))? {
            let entry = entry.map_err(|error| failed(&error))?;
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "jsonl") {
                let created =
                    entry.metadata().and_then(|file| file.created()).map_err(|error| failed(&error))?;
                logs.push((created, path));
            }
        }
    }
    logs.sort();
    Ok(logs.into_iter().map(|(_, path)| path).collect())
}
