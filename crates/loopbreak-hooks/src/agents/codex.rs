//! Codex CLI.

use std::path::{Path, PathBuf};

use loopbreak_trace::LogFormat;
use serde_json::{Value, json};

use crate::doctor::{self, CheckFinding, DoctorContext, InstalledPlugin};
use crate::hook_agent::HookAgent;
use crate::hook_event_kind::HookEventKind;
use crate::install::SettingsLocation;

pub(super) struct CodexAgent;

/// It has no event for failed calls.
const EVENTS: &[(&str, HookEventKind)] = &[
    (BEFORE_TOOL, HookEventKind::BeforeTool),
    (AFTER_TOOL, HookEventKind::AfterTool),
    ("PostCompact", HookEventKind::Compaction),
    ("UserPromptSubmit", HookEventKind::UserPrompt),
    ("Stop", HookEventKind::TurnEnd),
    ("SubagentStop", HookEventKind::SessionEnd),
    (SESSION_END, HookEventKind::SessionEnd),
];
const BEFORE_TOOL: &str = "PreToolUse";
const AFTER_TOOL: &str = "PostToolUse";
const SESSION_END: &str = "SessionEnd";

impl HookAgent for CodexAgent {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn title(&self) -> &'static str {
        "Codex CLI"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["codex-cli"]
    }

    fn check_own_settings(&self, context: &DoctorContext<'_>) -> Vec<CheckFinding> {
        doctor::agents::codex::check(context)
    }

    fn installed_plugins(&self, context: &DoctorContext<'_>) -> Vec<InstalledPlugin> {
        doctor::agents::codex::plugins(context)
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

    /// Events of a subagent name its own rollout.
    fn usage_transcript(&self, named: &Path, _: Option<&str>) -> Option<PathBuf> {
        Some(named.to_owned())
    }

    /// A patch that does not apply has no event after the call.
    fn hides_failures_of(&self, tool: &str) -> bool {
        tool == "apply_patch"
    }

    /// The result of a command is only its output.
    fn hides_exit_codes(&self) -> bool {
        true
    }

    /// It gives a hook at the end of a session at most three seconds.
    fn hook_entry(&self, event: &str, command: &str) -> Value {
        let timeout = if event == SESSION_END { 3 } else { 10 };
        json!({"type": "command", "command": command, "timeout": timeout})
    }

    /// Its hooks cannot ask: the call is refused, and it shows the reason to the user.
    fn render_question(&self, event: &str, reason: &str) -> Value {
        self.render_refusal(event, reason)
    }

    /// Before a call, it accepts only a refusal. After a call, a stop would replace the result of the call and stop nothing, so
    /// the agent is told, and its next call is refused.
    fn render_stop(&self, event: &str, reason: &str) -> Value {
        match event {
            BEFORE_TOOL => self.render_refusal(event, reason),
            AFTER_TOOL => self.render_advice(event, None, reason),
            _ => json!({"continue": false, "stopReason": reason}),
        }
    }

    fn render_shell_output(&self, output: &str) -> Value {
        json!(output)
    }
}
