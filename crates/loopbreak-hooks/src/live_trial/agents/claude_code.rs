//! Claude Code.

use std::process::Command;

use crate::live_trial::{LiveAgent, LiveSession};

/// Claude Code.
pub struct LiveClaudeCode;

impl LiveAgent for LiveClaudeCode {
    fn name(&self) -> &'static str {
        "claude-code"
    }

    fn configure(&self, session: &LiveSession, prompt: &str, command: &mut Command) {
        command
            .args(["--print", prompt, "--output-format", "json", "--model", "sonnet"])
            .arg("--dangerously-skip-permissions")
            .env("ANTHROPIC_BASE_URL", &session.model_url)
            .env("ANTHROPIC_API_KEY", "scripted")
            // Allows the flag above for root, which containers often are.
            .env("IS_SANDBOX", "1")
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("DISABLE_AUTOUPDATER", "1");
    }
}
