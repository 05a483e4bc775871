//! Finds the agents on this machine.

use std::path::PathBuf;

use super::program_search::find_program;
use crate::agents;
use crate::hook_agent::HookAgent;

/// An agent that was found on this machine, and the traces of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FoundAgent {
    /// The agent.
    pub agent: &'static dyn HookAgent,
    /// Its program on the PATH.
    pub program: Option<PathBuf>,
    /// Its folder in the user's home folder.
    pub folder: Option<PathBuf>,
}

impl FoundAgent {
    /// Lists the agents whose program is on the PATH, or which have a folder in the user's home folder.
    pub fn find_all() -> Vec<Self> {
        agents::ALL.iter().filter_map(|agent| FoundAgent::find(*agent)).collect()
    }

    /// Looks for one agent.
    pub fn find(agent: &'static dyn HookAgent) -> Option<Self> {
        let program = find_program(agent.program());
        let folder = agent.settings_location().user_folder().filter(|folder| folder.is_dir());
        (program.is_some() || folder.is_some()).then_some(FoundAgent { agent, program, folder })
    }
}
