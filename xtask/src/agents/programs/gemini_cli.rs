//! Gemini CLI.

use std::process::Command;

use serde_json::json;

use super::AgentProgram;
use crate::agents::agent_package::AgentPackage;
use crate::agents::session_setup::SessionSetup;
use crate::chore_failure::ChoreFailure;
use crate::process::root;

/// Gemini CLI.
pub(crate) struct GeminiCli;

impl AgentProgram for GeminiCli {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn package(&self) -> AgentPackage {
        AgentPackage { package: "@google/gemini-cli", version: "0.61.0", program: "gemini" }
    }

    fn prepare(&self, setup: &SessionSetup) -> Result<(), ChoreFailure> {
        let mut settings = json!({
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
            "privacy": {"usageStatisticsEnabled": false},
            "telemetry": {"enabled": false},
            "model": {"disableLoopDetection": !setup.variant.own_guard},
        });
        if setup.variant.compaction {
            // A share of a million tokens.
            settings["model"]["compressionThreshold"] = 0.1.into();
        }
        if setup.variant.other_hook {
            let block = json!({"decision": "deny", "reason": "The job is not done yet. Go on."});
            let hook = json!({"type": "command", "name": "other", "command": format!("echo '{block}'")});
            settings["hooks"] = json!({"AfterAgent": [{"hooks": [hook]}]});
        }
        setup.write_home(".gemini/settings.json", &format!("{settings:#}\n"))?;
        if setup.variant.plugin {
            let folder = "./integrations/gemini";
            // A person would be asked once.
            let trusted = json!({root().join("integrations/gemini").display().to_string(): "TRUST_FOLDER"});
            setup.write_home(".gemini/trustedFolders.json", &format!("{trusted:#}\n"))?;
            setup.run_plugin_command(&["extensions", "validate", folder])?;
            return setup.run_plugin_command(&["extensions", "install", folder, "--consent"]);
        }
        setup.install_hooks("gemini", ".gemini/settings.json")
    }

    fn log_folder(&self) -> Option<&'static str> {
        Some(".gemini/tmp")
    }

    fn command(&self, setup: &SessionSetup, prompt: &str) -> Command {
        let mut command = setup.command(&setup.program);
        command
            .args(["--prompt", prompt, "--yolo", "--model", "gemini-2.5-pro", "--output-format", "json"])
            .env("GEMINI_API_KEY", "scripted")
            .env("GOOGLE_GEMINI_BASE_URL", &setup.model_url)
            // Hooks of a project are loaded only in a trusted folder.
            .env("GEMINI_CLI_TRUST_WORKSPACE", "true");
        command
    }
}
