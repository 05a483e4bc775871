//! Gemini CLI.

use std::process::Command;

use loopbreak_hooks::live_trial::agents::LiveGemini;
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
        setup.write_settings(&LiveGemini, |settings| {
            settings["model"]["disableLoopDetection"] = (!setup.variant.own_guard).into();
            if let Some(url) = &setup.telemetry_url {
                settings["telemetry"] = json!({
                    "enabled": true, "target": "local", "useCollector": true, "otlpEndpoint": url,
                    "otlpProtocol": "http", "logPrompts": true, "traces": true,
                });
            }
            if setup.variant.compaction {
                // A share of a million tokens.
                settings["model"]["compressionThreshold"] = 0.1.into();
            }
            if setup.variant.other_hook {
                let block = json!({"decision": "deny", "reason": "The job is not done yet. Go on."});
                let hook = json!({"type": "command", "name": "other", "command": format!("echo '{block}'")});
                settings["hooks"] = json!({"AfterAgent": [{"hooks": [hook]}]});
            }
        })?;
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
        setup.agent_command(&LiveGemini, prompt)
    }
}
