//! GitHub Copilot CLI.

use std::process::Command;

use super::AgentProgram;
use crate::agents::agent_package::AgentPackage;
use crate::agents::session_setup::SessionSetup;
use crate::chore_failure::ChoreFailure;

/// GitHub Copilot CLI.
pub(crate) struct CopilotCli;

impl AgentProgram for CopilotCli {
    fn name(&self) -> &'static str {
        "copilot"
    }

    fn package(&self) -> AgentPackage {
        AgentPackage { package: "@github/copilot", version: "1.0.102", program: "copilot" }
    }

    fn prepare(&self, setup: &SessionSetup) -> Result<(), ChoreFailure> {
        setup.run_loopbreak(&["hook", "install", "copilot"])?;
        if setup.variant.two_installations {
            setup.run_loopbreak(&["hook", "install", "copilot", "--user"])?;
        }
        Ok(())
    }

    fn command(&self, setup: &SessionSetup, prompt: &str) -> Command {
        let mut command = setup.command(&setup.program);
        command
            .args(["--prompt", prompt, "--output-format", "json", "--disable-client-telemetry"])
            // Needs no account, and asks nobody but the model.
            .env("COPILOT_OFFLINE", "true")
            .env("COPILOT_PROVIDER_BASE_URL", format!("{}/v1", setup.model_url))
            .env("COPILOT_MODEL", "scripted")
            .env("COPILOT_AUTO_UPDATE", "false")
            // Also trusts the folder: hooks of a project are loaded only then.
            .env("COPILOT_ALLOW_ALL", "true");
        command
    }
}
