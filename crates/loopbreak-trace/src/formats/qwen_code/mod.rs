//! Qwen Code: session files, with the lines of Claude Code and the parts of Gemini. See docs/formats/qwen-code.md.

mod record;
mod session;

use crate::input::FileOwner;
use crate::log_format::{FormatDefinition, LogReader};
use crate::model_call::ModelCall;
use crate::sniff::JsonOutline;

/// Sessions of Qwen Code.
pub(crate) struct QwenCodeFormat;

impl FormatDefinition for QwenCodeFormat {
    fn name(&self) -> &'static str {
        "qwen-code"
    }
    fn title(&self) -> &'static str {
        "Qwen Code"
    }
    fn file_description(&self) -> &'static str {
        "session files: JSON lines with uuid, type and message.parts"
    }
    fn recognizes(&self, value: &JsonOutline<'_>) -> bool {
        value.has_all(&["uuid", "sessionId", "type"])
            && (value.is_list("message.parts") || value.has("systemPayload"))
    }
    fn file_owner(&self, value: &str, _folder: Option<&str>) -> Option<FileOwner> {
        let record: record::QwenRecord<'_> = serde_json::from_str(value).ok()?;
        if !record.is_distinctive() {
            return None;
        }
        let agent = record.agent().map(str::to_owned);
        Some(FileOwner { run: record.session?.0.into_owned(), agent, order: None })
    }
    fn usage_marks(&self) -> &'static [&'static str] {
        &["\"usageMetadata\""]
    }
    fn model_call(&self, line: &str) -> Option<ModelCall> {
        record::model_call(line)
    }
    fn new_reader(&self, _agents: &[String]) -> Box<dyn LogReader> {
        Box::new(session::QwenSession::default())
    }
}
