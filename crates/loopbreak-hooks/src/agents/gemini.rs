//! Gemini CLI.

use serde_json::{Value, json};

use crate::hook_agent::{HookAgent, with_user_message};
use crate::hook_event_kind::HookEventKind;
use crate::install::SettingsLocation;

pub(super) struct GeminiAgent;

const EVENTS: &[(&str, HookEventKind)] = &[
    ("BeforeTool", HookEventKind::BeforeTool),
    ("AfterTool", HookEventKind::AfterTool),
    ("BeforeAgent", HookEventKind::UserPrompt),
    ("AfterAgent", HookEventKind::TurnEnd),
    ("SessionEnd", HookEventKind::SessionEnd),
];

impl HookAgent for GeminiAgent {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn title(&self) -> &'static str {
        "Gemini CLI"
    }

    fn settings_location(&self) -> SettingsLocation {
        SettingsLocation::new(".gemini", "settings.json").with_home_variable("GEMINI_CLI_HOME")
    }

    fn events(&self) -> &'static [(&'static str, HookEventKind)] {
        EVENTS
    }

    /// Its timeouts are in milliseconds, and a hook with a name can be disabled.
    fn hook_entry(&self, command: &str) -> Value {
        json!({"name": "loopbreak", "type": "command", "command": command, "timeout": 10_000})
    }

    fn install_hint(&self) -> String {
        "restart Gemini CLI to load the hooks; /hooks lists them".to_owned()
    }

    fn takes_advice(&self, kind: HookEventKind) -> bool {
        matches!(kind, HookEventKind::AfterTool | HookEventKind::UserPrompt)
    }

    fn render_refusal(&self, _event: &str, reason: &str) -> Value {
        json!({"decision": "deny", "reason": reason})
    }

    /// Its hooks cannot ask: the call is refused, and the user gets a message.
    fn render_question(&self, event: &str, reason: &str) -> Value {
        with_user_message(self.render_refusal(event, reason), reason)
    }

    fn render_continuation(&self, reason: &str) -> Value {
        json!({"decision": "deny", "reason": reason})
    }

    fn shell_tool(&self) -> &'static str {
        "run_shell_command"
    }

    fn render_shell_output(&self, output: &str) -> Value {
        json!({"llmContent": output})
    }
}
