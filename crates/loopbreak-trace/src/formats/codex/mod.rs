//! Codex CLI: rollouts. See docs/formats/codex.md.

mod call_outcome;
mod entry;
mod items;
mod model_usage;
mod rollout;
mod scripts;
mod turn_item;
mod user_message;

pub(in crate::formats) use call_outcome::event_outcome;
pub(in crate::formats) use rollout::CodexRollout;

use crate::log_format::{FormatDefinition, LogReader};
use crate::model_call::ModelCall;
use crate::sniff::JsonOutline;

/// Rollouts of Codex CLI.
pub(crate) struct CodexFormat;

const ENVELOPES: [&str; 7] = [
    "session_meta",
    "response_item",
    "event_msg",
    "turn_context",
    "compacted",
    "world_state",
    "token_usage_record",
];

impl FormatDefinition for CodexFormat {
    fn name(&self) -> &'static str {
        "codex"
    }
    fn title(&self) -> &'static str {
        "Codex CLI"
    }
    fn file_description(&self) -> &'static str {
        "rollout-*.jsonl: one JSON object per line, with type and payload"
    }
    fn recognizes(&self, value: &JsonOutline<'_>) -> bool {
        let kind = value.text("type");
        let enveloped = kind.is_some_and(|kind| ENVELOPES.contains(&kind)) && value.is_object("payload");
        // The first version had no envelopes.
        let bare = matches!(kind, Some("function_call" | "function_call_output" | "local_shell_call"))
            && value.has("call_id")
            || kind == Some("message") && value.has_all(&["role", "content.[].type"])
            || kind == Some("reasoning") && value.has("summary");
        enveloped || bare
    }
    fn usage_marks(&self) -> &'static [&'static str] {
        &["\"token_count\"", "\"turn_context\""]
    }
    fn model_call(&self, line: &str) -> Option<ModelCall> {
        model_usage::parse(line)
    }
    fn rejection_marks(&self) -> &'static [&'static str] {
        &call_outcome::REJECTIONS
    }
    fn exit_code(&self, part: &[u8], call: &str) -> Option<i64> {
        turn_item::exit_code(part, call)
    }
    fn new_reader(&self, _agents: &[String]) -> Box<dyn LogReader> {
        Box::new(CodexRollout::default())
    }
}
