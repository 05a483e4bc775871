//! Vercel AI SDK: model messages and messages of its user interface. See docs/formats/ai-sdk.md.

mod message;
mod reader;

use crate::log_format::{FormatDefinition, LogReader};
use crate::sniff::JsonOutline;

/// Messages of the AI SDK.
pub(crate) struct AiSdkFormat;

/// Keys that hold the messages, or the steps, of a conversation.
const LISTS: [&str; 2] = ["messages", "steps"];

impl FormatDefinition for AiSdkFormat {
    fn name(&self) -> &'static str {
        "ai-sdk"
    }
    fn title(&self) -> &'static str {
        "Vercel AI SDK"
    }
    fn file_description(&self) -> &'static str {
        "model messages and messages of the user interface, alone or under messages; JSON or JSON lines"
    }
    fn recognizes(&self, value: &JsonOutline<'_>) -> bool {
        let is_message = |at: &str| {
            let has = |key: &str| value.has(&format!("{at}{key}"));
            let has_call = has("content.[].toolCallId") || has("content.[].toolName");
            has_call || has("role") && has("parts.[].type")
        };
        ["", "[].", "messages.[].", "[].messages.[].", "steps.[]."].into_iter().any(is_message)
    }
    fn holds_whole_run(&self, value: &JsonOutline<'_>) -> bool {
        value.is_list("") || LISTS.iter().any(|list| value.is_list(list))
    }
    fn new_reader(&self, _agents: &[String]) -> Box<dyn LogReader> {
        Box::new(reader::AiSdkReader::default())
    }
}
