//! Qwen Code. Its contract is that of Claude Code, with timeouts in milliseconds.

use std::path::{Path, PathBuf};

use loopbreak_trace::LogFormat;
use serde_json::{Value, json};

use crate::doctor::{self, CheckFinding, DoctorContext};
use crate::hook_agent::{HookAgent, is_file_name};
use crate::install::SettingsLocation;

pub(super) struct QwenAgent;

impl HookAgent for QwenAgent {
    fn name(&self) -> &'static str {
        "qwen"
    }

    fn title(&self) -> &'static str {
        "Qwen Code"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["qwen-code"]
    }

    fn check_own_settings(&self, context: &DoctorContext<'_>) -> Vec<CheckFinding> {
        doctor::agents::qwen::check(context)
    }

    fn usage_format(&self) -> Option<LogFormat> {
        Some(LogFormat::QWEN_CODE)
    }

    /// Sessions are in `chats/`, and subagents write their own files in a folder beside it.
    fn usage_transcript(&self, named: &Path, subagent: Option<&str>) -> Option<PathBuf> {
        let Some(id) = subagent else { return Some(named.to_owned()) };
        let (project, session) = (named.parent()?.parent()?, named.file_stem()?);
        is_file_name(id).then(|| project.join("subagents").join(session).join(format!("agent-{id}.jsonl")))
    }

    fn settings_location(&self) -> SettingsLocation {
        SettingsLocation::new(".qwen", "settings.json")
    }

    fn hook_entry(&self, _event: &str, command: &str) -> Value {
        json!({"name": "loopbreak", "type": "command", "command": command, "timeout": 10_000})
    }

    fn retries_with_prompts(&self) -> bool {
        true
    }

    fn shell_tool(&self) -> &'static str {
        "run_shell_command"
    }

    fn render_shell_output(&self, output: &str) -> Value {
        json!({"llmContent": output})
    }
}
