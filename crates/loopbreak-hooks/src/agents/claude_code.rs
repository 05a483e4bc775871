//! Claude Code. The provided methods of [`HookAgent`] are its contract.

use std::path::{Path, PathBuf};

use loopbreak_trace::LogFormat;

use crate::doctor::{self, CheckFinding, DoctorContext, InstalledPlugin};
use crate::hook_agent::{HookAgent, is_file_name};
use crate::install::SettingsLocation;

pub(super) struct ClaudeCodeAgent;

impl HookAgent for ClaudeCodeAgent {
    fn name(&self) -> &'static str {
        "claude-code"
    }

    fn title(&self) -> &'static str {
        "Claude Code"
    }

    fn program(&self) -> &'static str {
        "claude"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["claude", "claudecode"]
    }

    fn check_own_settings(&self, context: &DoctorContext<'_>) -> Vec<CheckFinding> {
        doctor::agents::claude_code::check(context)
    }

    fn installed_plugins(&self, context: &DoctorContext<'_>) -> Vec<InstalledPlugin> {
        doctor::agents::claude_code::plugins(context)
    }

    fn settings_location(&self) -> SettingsLocation {
        SettingsLocation::new(".claude", "settings.json").with_folder_variable("CLAUDE_CONFIG_DIR")
    }

    fn transcript_format(&self) -> Option<LogFormat> {
        Some(LogFormat::CLAUDE_CODE)
    }

    /// Subagents write their own files in a folder that is named after the session.
    fn usage_transcript(&self, named: &Path, subagent: Option<&str>) -> Option<PathBuf> {
        let Some(id) = subagent else { return Some(named.to_owned()) };
        is_file_name(id).then(|| named.with_extension("").join(format!("subagents/agent-{id}.jsonl")))
    }
}
