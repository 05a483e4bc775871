//! Claude Code.

use std::process::Command;

use loopbreak_hooks::live_trial::agents::LiveClaudeCode;
use serde_json::json;

use super::AgentProgram;
use crate::agents::agent_package::AgentPackage;
use crate::agents::session_setup::SessionSetup;
use crate::chore_failure::ChoreFailure;

/// Claude Code.
pub(crate) struct ClaudeCode;

impl AgentProgram for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude"
    }

    fn dialect(&self) -> &'static str {
        "claude-code"
    }

    fn package(&self) -> AgentPackage {
        AgentPackage { package: "@anthropic-ai/claude-code", version: "2.1.325", program: "claude" }
    }

    fn prepare(&self, setup: &SessionSetup) -> Result<(), ChoreFailure> {
        if setup.variant.other_hook {
            let block = json!({"decision": "block", "reason": "The job is not done yet. Go on."});
            let hook = json!({"type": "command", "command": format!("echo '{block}'")});
            let settings = json!({"hooks": {"Stop": [{"hooks": [hook]}]}});
            setup.write_home(".claude/settings.json", &format!("{settings:#}\n"))?;
        }
        if setup.variant.plugin {
            return install_plugin(setup);
        }
        setup.install_hooks("claude-code", ".claude/settings.json")
    }

    fn log_folder(&self) -> Option<&'static str> {
        Some(".claude/projects")
    }

    fn command(&self, setup: &SessionSetup, prompt: &str) -> Command {
        let mut command = setup.agent_command(&LiveClaudeCode, prompt);
        if let Some(url) = &setup.telemetry_url {
            command
                .env("CLAUDE_CODE_ENABLE_TELEMETRY", "1")
                .env("OTEL_LOGS_EXPORTER", "otlp")
                .env("OTEL_TRACES_EXPORTER", "otlp")
                .env("CLAUDE_CODE_ENHANCED_TELEMETRY_BETA", "1")
                .env("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")
                .env("OTEL_EXPORTER_OTLP_ENDPOINT", url)
                .env("OTEL_LOG_USER_PROMPTS", "1")
                .env("OTEL_LOG_TOOL_DETAILS", "1")
                .env("OTEL_LOG_TOOL_CONTENT", "1");
        }
        if setup.variant.compaction {
            command
                .env("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "200000")
                .env("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE", "50");
        }
        command
    }
}

/// The validator checks the marketplace and the plugin. It warns that the plugin has no icon.
fn install_plugin(setup: &SessionSetup) -> Result<(), ChoreFailure> {
    setup.run_plugin_command(&["plugin", "validate", "--strict", "./integrations"])?;
    setup.run_plugin_command(&[
        "plugin",
        "validate",
        "--profile",
        "directory",
        "./integrations/claude-code",
    ])?;
    setup.run_plugin_command(&["plugin", "marketplace", "add", "./integrations"])?;
    setup.run_plugin_command(&["plugin", "install", "loopbreak@loopbreak"])
}
