//! Claude Code. The provided methods of [`HookAgent`] are its contract.

use loopbreak_trace::LogFormat;

use crate::hook_agent::HookAgent;
use crate::install::SettingsLocation;

pub(super) struct ClaudeCodeAgent;

impl HookAgent for ClaudeCodeAgent {
    fn name(&self) -> &'static str {
        "claude-code"
    }

    fn title(&self) -> &'static str {
        "Claude Code"
    }

    fn settings_location(&self) -> SettingsLocation {
        SettingsLocation::new(".claude", "settings.json").with_folder_variable("CLAUDE_CONFIG_DIR")
    }

    fn transcript_format(&self) -> Option<LogFormat> {
        Some(LogFormat::CLAUDE_CODE)
    }
}
