//! Codex CLI.

use std::process::Command;

use loopbreak_hooks::live_trial::LiveAgent as _;
use loopbreak_hooks::live_trial::agents::LiveCodex;
use serde_json::json;

use super::AgentProgram;
use crate::agents::agent_package::AgentPackage;
use crate::agents::session_part::COMPACTED_TOKENS;
use crate::agents::session_setup::SessionSetup;
use crate::chore_failure::ChoreFailure;

/// Codex CLI, with one of the models of its catalogue.
pub(crate) struct CodexCli {
    name: &'static str,
    live: LiveCodex,
}

/// With a model that calls tools directly.
pub(crate) const DIRECT: CodexCli = CodexCli { name: "codex", live: LiveCodex::DIRECT };
/// With a model that writes programs which call the tools.
pub(crate) const CODE_MODE: CodexCli = CodexCli { name: "codex-code", live: LiveCodex::CODE_MODE };

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
        let telemetry = setup.telemetry_url.as_ref().map_or_else(String::new, |url| {
            let exporter = |path| {
                format!("{{ otlp-http = {{ endpoint = \"{url}/v1/{path}\", protocol = \"json\" }} }}")
            };
            format!(
                "\n[otel]\nlog_user_prompt = true\nexporter = {}\ntrace_exporter = {}\nmetrics_exporter = \"none\"\n",
                exporter("logs"),
                exporter("traces")
            )
        });
        for file in self.live.files(&setup.live()) {
            // Keys come before tables.
            setup.write_home(file.path, &format!("{compaction}{}{telemetry}", file.text))?;
        }
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
        setup.agent_command(&self.live, prompt)
    }
}
