//! Codex CLI.

use std::process::Command;

use serde_json::json;

use super::AgentProgram;
use crate::agents::agent_package::AgentPackage;
use crate::agents::session_part::COMPACTED_TOKENS;
use crate::agents::session_setup::SessionSetup;
use crate::chore_failure::ChoreFailure;

/// Codex CLI, with one of the models of its catalogue.
pub(crate) struct CodexCli {
    name: &'static str,
    model: &'static str,
}

/// With a model that calls tools directly.
pub(crate) const DIRECT: CodexCli = CodexCli { name: "codex", model: "gpt-5.5-codex" };
/// With a model that writes programs which call the tools.
pub(crate) const CODE_MODE: CodexCli = CodexCli { name: "codex-code", model: "gpt-6.1-sol" };

impl AgentProgram for CodexCli {
    fn name(&self) -> &'static str {
        self.name
    }

    fn package(&self) -> AgentPackage {
        AgentPackage { package: "@openai/codex", version: "0.166.0", program: "codex" }
    }

    fn prepare(&self, setup: &SessionSetup) -> Result<(), ChoreFailure> {
        let compaction = if setup.variant.compaction {
            format!("model_auto_compact_token_limit = {}\n", COMPACTED_TOKENS / 2)
        } else {
            String::new()
        };
        let config = format!(
            "model = \"{}\"\nmodel_provider = \"scripted\"\ncheck_for_update_on_startup = false\n{compaction}\n\
             [model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{}/v1\"\nwire_api = \"responses\"\n\n\
             [projects.\"{}\"]\ntrust_level = \"trusted\"\n\n[features]\nmulti_agent_v2 = true\n",
            self.model,
            setup.model_url,
            setup.project.display()
        );
        setup.write_home(".codex/config.toml", &config)?;
        if setup.variant.other_hook {
            let block = json!({"decision": "block", "reason": "The job is not done yet. Go on."});
            let hook = json!({"type": "command", "command": format!("echo '{block}'")});
            let hooks = json!({"hooks": {"Stop": [{"hooks": [hook]}]}});
            setup.write_home(".codex/hooks.json", &format!("{hooks:#}\n"))?;
        }
        if setup.variant.plugin {
            // It has no validator, but it installs only what it can read.
            setup.run_plugin_command(&["plugin", "marketplace", "add", "./integrations"])?;
            return setup.run_plugin_command(&["plugin", "add", "loopbreak@loopbreak"]);
        }
        setup.install_hooks("codex", ".codex/hooks.json")
    }

    fn log_folder(&self) -> Option<&'static str> {
        Some(".codex/sessions")
    }

    fn command(&self, setup: &SessionSetup, prompt: &str) -> Command {
        let mut command = setup.command(&setup.program);
        command
            .args(["exec", "--json", "--skip-git-repo-check"])
            .arg("--dangerously-bypass-approvals-and-sandbox")
            // A person would review the hooks once; their hashes are stored after that.
            .arg("--dangerously-bypass-hook-trust")
            .arg(prompt);
        command
    }
}
