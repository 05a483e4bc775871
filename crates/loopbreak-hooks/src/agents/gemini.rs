//! Gemini CLI.

use loopbreak_trace::LogFormat;
use serde_json::{Value, json};

use crate::doctor::{self, CheckFinding, DoctorContext, InstalledPlugin};
use crate::hook_agent::{HookAgent, with_user_message};
use crate::hook_event_kind::HookEventKind;
use crate::install::SettingsLocation;

pub(super) struct GeminiAgent;

/// `PreCompress` is not among them: it comes before every request to the model, whether or not anything is compacted.
const EVENTS: &[(&str, HookEventKind)] = &[
    (BEFORE_TOOL, HookEventKind::BeforeTool),
    ("AfterTool", HookEventKind::AfterTool),
    ("BeforeAgent", HookEventKind::UserPrompt),
    ("AfterAgent", HookEventKind::TurnEnd),
    ("SessionEnd", HookEventKind::SessionEnd),
];

const BEFORE_TOOL: &str = "BeforeTool";

impl HookAgent for GeminiAgent {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn title(&self) -> &'static str {
        "Gemini CLI"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["gemini-cli"]
    }

    fn check_own_settings(&self, context: &DoctorContext<'_>) -> Vec<CheckFinding> {
        doctor::agents::gemini::check(context)
    }

    fn installed_plugins(&self, context: &DoctorContext<'_>) -> Vec<InstalledPlugin> {
        doctor::agents::gemini::plugins(context)
    }

    fn usage_format(&self) -> Option<LogFormat> {
        Some(LogFormat::GEMINI_CLI)
    }

    fn settings_location(&self) -> SettingsLocation {
        SettingsLocation::new(".gemini", "settings.json").with_home_variable("GEMINI_CLI_HOME")
    }

    fn events(&self) -> &'static [(&'static str, HookEventKind)] {
        EVENTS
    }

    /// Its timeouts are in milliseconds, and a hook with a name can be disabled.
    fn hook_entry(&self, _event: &str, command: &str) -> Value {
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

    /// It drops advice beside an error, so the error and the advice take the place of the result.
    fn render_advice(&self, event: &str, error: Option<&str>, text: &str) -> Value {
        match error {
            Some(error) => json!({"decision": "deny", "reason": format!("{error}\n\n{text}")}),
            None => json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}),
        }
    }

    fn render_stop(&self, event: &str, reason: &str) -> Value {
        let mut stop = if event == BEFORE_TOOL { self.render_refusal(event, reason) } else { json!({}) };
        stop["continue"] = false.into();
        stop["stopReason"] = reason.into();
        stop
    }

    fn retries_with_prompts(&self) -> bool {
        true
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
