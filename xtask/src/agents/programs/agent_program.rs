//! The configuration and the start of an agent.

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
}
