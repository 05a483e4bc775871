//! Claude Code: session transcripts, and the output of its `stream-json` mode. See docs/formats/claude-code.md.

mod agent;
mod call_fate;
mod entry;
mod model_usage;
mod seen_ids;
mod session;
mod user_content;

pub use call_fate::rejection_reason;

use serde::Deserialize as _;

use crate::input::FileOwner;
use crate::log_format::{FormatDefinition, LogReader};
use crate::model_call::ModelCall;
use crate::sniff::JsonOutline;

/// Sessions of Claude Code.
pub(crate) struct ClaudeCodeFormat;

/// Known types of lines.
const TYPES: [&str; 20] = [
    "api-request",
    "api-request-blob",
    "api-request-shape",
    "assistant",
    "atis-latch",
    "attachment",
    "cost-state",
    "custom-title",
    "file-history-snapshot",
    "last-prompt",
    "permission-mode",
    "pr-link",
    "progress",
    "queue-operation",
    "result",
    "stream_event",
    "summary",
    "system",
    "tools-used",
    "user",
];

impl FormatDefinition for ClaudeCodeFormat {
    fn name(&self) -> &'static str {
        "claude-code"
    }
    fn title(&self) -> &'static str {
        "Claude Code"
    }
    fn file_description(&self) -> &'static str {
        "JSON lines: session transcripts with their subagents; --output-format stream-json"
    }
    fn recognizes(&self, value: &JsonOutline<'_>) -> bool {
        let known = value.text("type").is_some_and(|kind| TYPES.contains(&kind));
        let whose = value.text("sessionId").is_some() || value.text("session_id").is_some();
        let side = value.has_all(&["summary", "leafUuid"]) || value.has_all(&["messageId", "snapshot"]);
        // The lines of Qwen Code look the same but for these keys.
        let is_qwen = value.has("message.parts") || value.has("systemPayload");
        known && (whose || side) && !is_qwen
    }
    fn file_owner(&self, value: &str, _folder: Option<&str>) -> Option<FileOwner> {
        let mut json = serde_json::Deserializer::from_str(value);
        let mut line = entry::ClaudeEntry::deserialize(&mut json).ok()?;
        if !TYPES.contains(&line.kind.as_deref()?) || !line.is_transcript() {
            return None;
        }
        let run = line.take_session()?.0.into_owned();
        let agent = line.agent.filter(|_| line.is_sidechain).map(|agent| agent.0.into_owned());
        Some(FileOwner { run, agent, order: None })
    }
    fn usage_marks(&self) -> &'static [&'static str] {
        &["\"usage\""]
    }
    fn model_call(&self, line: &str) -> Option<ModelCall> {
        model_usage::parse(line)
    }
    fn rejection_marks(&self) -> &'static [&'static str] {
        &[call_fate::REJECTION]
    }
    fn new_reader(&self, agents: &[String]) -> Box<dyn LogReader> {
        Box::new(session::ClaudeSession::new(agents))
    }
}
