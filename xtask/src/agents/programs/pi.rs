//! pi.

use std::process::Command;

use serde_json::json;

use super::AgentProgram;
use crate::agents::agent_package::AgentPackage;
use crate::agents::session_setup::SessionSetup;
use crate::chore_failure::ChoreFailure;

/// pi.
pub(crate) struct PiProgram;

impl AgentProgram for PiProgram {
    fn name(&self) -> &'static str {
        "pi"
    }

    /// The newest version for Node 20.
    fn package(&self) -> AgentPackage {
        AgentPackage { package: "@earendil-works/pi-coding-agent", version: "0.74.2", program: "pi" }
    }

    fn prepare(&self, setup: &SessionSetup) -> Result<(), ChoreFailure> {
        let window = if setup.variant.compaction { 160_000 } else { 1_000_000 };
        let models = json!({"providers": {"scripted": {
            "baseUrl": format!("{}/v1", setup.model_url), "api": "openai-completions", "apiKey": "scripted",
            "models": [{"id": "scripted", "contextWindow": window, "maxTokens": 32_000}],
        }}});
        setup.write_home(".pi/agent/models.json", &format!("{models:#}\n"))?;
        // Newer versions ask whether the extensions of a project may be loaded.
        let settings = json!({"defaultProjectTrust": "always"});
        setup.write_home(".pi/agent/settings.json", &format!("{settings:#}\n"))?;
        setup.run_loopbreak(&["hook", "install", "pi"])?;
        if setup.variant.two_installations {
            setup.run_loopbreak(&["hook", "install", "pi", "--user"])?;
        }
        Ok(())
    }

    fn log_folder(&self) -> Option<&'static str> {
        Some(".pi/agent/sessions")
    }

    fn command(&self, setup: &SessionSetup, prompt: &str) -> Command {
        let mut command = setup.command(&setup.program);
        command
            .args(["--print", "--mode", "json", "--model", "scripted/scripted", prompt])
            .env("PI_OFFLINE", "1")
            .env("PI_SKIP_VERSION_CHECK", "1");
        command
    }
}
