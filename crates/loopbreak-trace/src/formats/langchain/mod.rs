//! `LangChain` and `LangGraph`: dumps of messages. See docs/formats/langchain.md.

mod message;
mod reader;

use crate::log_format::{FormatDefinition, LogReader};
use crate::sniff::JsonOutline;

/// Messages of `LangChain`.
pub(crate) struct LangChainFormat;

/// Keys that hold the messages of a conversation.
const LISTS: [&str; 3] = ["messages", "history", "chat_history"];

impl FormatDefinition for LangChainFormat {
    fn name(&self) -> &'static str {
        "langchain"
    }
    fn title(&self) -> &'static str {
        "LangChain, LangGraph"
    }
    fn file_description(&self) -> &'static str {
        "dumps of messages (dumps, messages_to_dict, model_dump), alone or under messages; JSON or JSON lines"
    }
    fn recognizes(&self, value: &JsonOutline<'_>) -> bool {
        let is_message = |at: &str| {
            let has = |key: &str| value.has(&format!("{at}{key}"));
            let kind = value.text(&format!("{at}type"));
            let is_dumped = has("lc") && has("kwargs.content");
            let is_dict = kind.is_some() && has("data.content") && has("data.type");
            let marks = ["additional_kwargs", "response_metadata", "invalid_tool_calls"];
            let is_model = kind.is_some() && has("content") && !has("role") && marks.into_iter().any(has);
            let is_plain = matches!(kind, Some("human" | "ai")) && has("content") && !has("role");
            is_dumped || is_dict || is_model || is_plain
        };
        is_message("")
            || is_message("[].")
            || is_message("[].[].")
            || LISTS.iter().any(|list| {
                ["", "[].", "values."].iter().any(|at| {
                    is_message(&format!("{at}{list}.[].")) || is_message(&format!("{at}{list}.[].[]."))
                })
            })
    }
    fn holds_whole_run(&self, value: &JsonOutline<'_>) -> bool {
        // Lines with a list of messages are states of a graph, and more of them follow.
        value.is_list("")
    }
    fn new_reader(&self, _agents: &[String]) -> Box<dyn LogReader> {
        Box::new(reader::LangChainReader::default())
    }
}
