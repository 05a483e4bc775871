//! Claude Code: session transcripts, and the output of its `stream-json` mode. See docs/formats/claude-code.md.

mod agent;
mod human;
mod line;
mod reader;
mod seen;

use serde::Deserialize as _;

use crate::format::{Kin, Kind, Reader};
use crate::glimpse::Glimpse;

/// Sessions of Claude Code.
pub(crate) struct ClaudeCode;

/// What lines are there for, as far as they are known.
const TYPES: [&str; 14] = [
    "assistant",
    "attachment",
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
    "user",
];

impl Kind for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude-code"
    }
    fn title(&self) -> &'static str {
        "Claude Code"
    }
    fn files(&self) -> &'static str {
        "JSON lines: session transcripts with their subagents; --output-format stream-json"
    }
    fn recognises(&self, value: &Glimpse<'_>) -> bool {
        let known = value.text("type").is_some_and(|kind| TYPES.contains(&kind));
        let whose = value.text("sessionId").is_some() || value.text("session_id").is_some();
        let side = value.has_all(&["summary", "leafUuid"]) || value.has_all(&["messageId", "snapshot"]);
        known && (whose || side)
    }
    fn kin(&self, value: &str) -> Option<Kin> {
        let mut json = serde_json::Deserializer::from_str(value);
        let line = line::Line::deserialize(&mut json).ok()?;
        if !TYPES.contains(&line.kind.as_deref()?) || !line.transcript() {
            return None;
        }
        let agent = line.agent.filter(|_| line.is_sidechain).map(|agent| agent.0.into_owned());
        Some(Kin { run: line.session?.0.into_owned(), agent, order: None })
    }
    fn reader(&self, beside: &[String]) -> Box<dyn Reader> {
        Box::new(reader::Session::new(beside))
    }
}
