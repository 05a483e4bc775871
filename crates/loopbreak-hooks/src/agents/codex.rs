//! Codex CLI.

use loopbreak_trace::LogFormat;
use serde_json::{Value, json};

use crate::hook_agent::{HookAgent, with_user_message};
use crate::hook_event_kind::HookEventKind;
use crate::install::SettingsLocation;

pub(super) struct CodexAgent;

/// It has no event for failed calls.
const EVENTS: &[(&str, HookEventKind)] = &[
    (BEFORE_TOOL, HookEventKind::BeforeTool),
    ("PostToolUse", HookEventKind::AfterTool),
    ("UserPromptSubmit", HookEventKind::UserPrompt),
    ("Stop", HookEventKind::TurnEnd),
    ("SubagentStop", HookEventKind::SessionEnd),
    ("SessionEnd", HookEventKind::SessionEnd),
];
const BEFORE_TOOL: &str = "PreToolUse";

impl HookAgent for CodexAgent {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn title(&self) -> &'static str {
        "Codex CLI"
    }

    fn settings_location(&self) -> SettingsLocation {
        SettingsLocation::new(".codex", "hooks.json").with_folder_variable("CODEX_HOME")
    }

    fn events(&self) -> &'static [(&'static str, HookEventKind)] {
        EVENTS
    }

    fn install_hint(&self) -> String {
        "Codex CLI runs only hooks that you have reviewed: start it and trust them with /hooks".to_owned()
    }

    fn transcript_format(&self) -> Option<LogFormat> {
        Some(LogFormat::CODEX)
    }

    /// Its hooks cannot ask: the call is refused, and the user gets a message.
    fn render_question(&self, event: &str, reason: &str) -> Value {
        with_user_message(self.render_refusal(event, reason), reason)
    }

    /// Before a call, it accepts only a refusal.
    fn render_stop(&self, event: &str, reason: &str) -> Value {
        if event == BEFORE_TOOL {
            return self.render_question(event, reason);
        }
        json!({"continue": false, "stopReason": reason})
    }

    fn render_shell_output(&self, output: &str) -> Value {
        json!(output)
    }
}
