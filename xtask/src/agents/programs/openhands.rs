//! OpenHands, by its SDK: a small program runs the default agent with the hooks of the project.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::AgentProgram;
use crate::agents::agent_package::AgentPackage;
use crate::agents::project_files::write;
use crate::agents::python_package::PythonPackage;
use crate::agents::session_setup::SessionSetup;
use crate::chore_failure::ChoreFailure;

/// OpenHands.
pub(crate) struct OpenhandsSdk;

const PACKAGES: PythonPackage = PythonPackage {
    main: AgentPackage { package: "openhands-sdk", version: "1.58.0", program: "openhands" },
    others: &["openhands-tools"],
    minor: 12,
};

/// The program, in the folder of the session. With the name of the package, it would take its place.
const PROGRAM: &str = "openhands_session.py";

impl AgentProgram for OpenhandsSdk {
    fn name(&self) -> &'static str {
        "openhands"
    }

    fn package(&self) -> AgentPackage {
        PACKAGES.main
    }

    fn install(&self, folder: &Path) -> Result<PathBuf, ChoreFailure> {
        PACKAGES.install(folder)
    }

    fn prepare(&self, setup: &SessionSetup) -> Result<(), ChoreFailure> {
        write(&setup.folder.join(PROGRAM), include_str!("openhands_session.py"))?;
        setup.install_hooks("openhands", ".openhands/hooks.json")
    }

    fn command(&self, setup: &SessionSetup, prompt: &str) -> Command {
        let mut command = setup.command(&setup.program);
        let guard = if setup.variant.own_guard { "own-guard" } else { "" };
        command
            .arg(setup.folder.join(PROGRAM))
            .args([prompt, &format!("{}/v1", setup.model_url), guard])
            .env("OPENHANDS_SUPPRESS_BANNER", "1")
            // It would fetch a list of prices otherwise.
            .env("LITELLM_LOCAL_MODEL_COST_MAP", "True");
        command
    }
}
