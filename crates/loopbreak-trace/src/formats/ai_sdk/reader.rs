//! Finds the messages of conversations in documents and lines.

use loopbreak::step::Label;
use serde::Deserialize;

use super::LISTS;
use super::message::{AiSdkMessage, emit};
use crate::log_format::{LogReader, LogUnit};
use crate::log_record::{RecordSink, UnreadItem};
use crate::message::{AgentConversation, walk_document};
use crate::skip_reason::SkipReason;

/// Reads conversations.
#[derive(Debug, Default)]
pub(super) struct AiSdkReader {
    agent: AgentConversation,
    messages: u64,
}

/// Keys that name a conversation.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct AiSdkKeys<'a> {
    #[serde(borrow)]
    id: Option<Label<'a>>,
    #[serde(borrow, rename = "chatId")]
    chat: Option<Label<'a>>,
}

impl LogReader for AiSdkReader {
    fn read_unit(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
        if AiSdkMessage::is_message(unit.text) {
            return self.message(unit, sink);
        }
        let walked = self.walk(unit, 0, sink);
        // The unit holds the whole conversation.
        self.agent.end(sink);
        walked
    }

    fn end(&mut self, sink: &mut dyn RecordSink) {
        self.agent.end(sink);
    }
}

impl AiSdkReader {
    fn message(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
        let message: AiSdkMessage<'_> =
            serde_json::from_str(unit.text).map_err(|error| SkipReason::malformed(unit.text, &error))?;
        self.messages += 1;
        emit(message, &mut self.agent, self.messages, unit.line, sink)
    }

    /// Reads a list of messages, or an object that holds them.
    fn walk(&mut self, unit: LogUnit<'_>, depth: usize, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
        if unit.text.trim_start().starts_with('{') {
            let keys: AiSdkKeys<'_> = serde_json::from_str(unit.text).unwrap_or_default();
            self.agent.end(sink);
            self.agent.run = keys.chat.or(keys.id).map(|run| run.as_text().into_owned());
        }
        let mut broken = Ok(());
        let walked = walk_document(unit, &LISTS, &mut |part| {
            let said = if !part.listed {
                Ok(())
            } else if AiSdkMessage::is_message(part.json.get()) {
                self.message(part.unit(), sink)
            } else if depth == 0 && part.json.get().starts_with('{') && part.key.is_empty() {
                self.walk(part.unit(), depth + 1, sink)
            } else {
                sink.unread_item(&UnreadItem::new(part.line, ""));
                Ok(())
            };
            broken = std::mem::replace(&mut broken, Ok(())).and(said);
        });
        walked.and(broken)
    }
}
