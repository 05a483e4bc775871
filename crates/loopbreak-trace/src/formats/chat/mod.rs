//! Lists of chat messages in the formats of OpenAI and Anthropic, and variants of them in benchmarks. See
//! docs/formats/chat.md.

mod conversation;
mod message;

use serde::Deserialize;

use crate::log_format::{FormatDefinition, LogReader, LogUnit};
use crate::log_record::{RecordSink, UnreadItem};
use crate::message::{unknown_call, walk_document};
use crate::skip_reason::SkipReason;
use crate::sniff::JsonOutline;
use conversation::ChatConversation;

/// Chat messages.
pub(crate) struct ChatFormat;

/// Keys that hold the messages of a conversation.
const LISTS: [&str; 5] = ["messages", "history", "traj", "conversation", "conversations"];

impl FormatDefinition for ChatFormat {
    fn name(&self) -> &'static str {
        "chat"
    }
    fn title(&self) -> &'static str {
        "chat messages (OpenAI, Anthropic, tau-bench, Magentic)"
    }
    fn file_description(&self) -> &'static str {
        "lists of messages with a role and a content, alone or under messages, history or traj; JSON or JSON lines"
    }
    fn recognizes(&self, value: &JsonOutline<'_>) -> bool {
        let message = |at: &str| {
            let has = |key: &str| value.has(&format!("{at}{key}"));
            has("role") && (has("content") || has("tool_calls"))
        };
        message("")
            || message("[].")
            || LISTS.iter().any(|list| message(&format!("{list}.[].")) || message(&format!("[].{list}.[].")))
    }
    fn holds_whole_run(&self, value: &JsonOutline<'_>) -> bool {
        value.is_list("") || LISTS.iter().any(|list| value.is_list(list))
    }
    fn new_reader(&self, _agents: &[String]) -> Box<dyn LogReader> {
        Box::new(ChatReader::default())
    }
}

/// Reads conversations.
#[derive(Debug, Default)]
struct ChatReader {
    /// The conversation whose messages are separate lines.
    loose: ChatConversation,
    count: u64,
}

/// Keys that identify a conversation.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ConversationKeys<'a> {
    #[serde(borrow)]
    id: Option<ConversationKey<'a>>,
    #[serde(borrow, alias = "sessionId")]
    session_id: Option<ConversationKey<'a>>,
    #[serde(borrow)]
    conversation_id: Option<ConversationKey<'a>>,
    #[serde(borrow, alias = "question_ID")]
    instance_id: Option<ConversationKey<'a>>,
    #[serde(borrow)]
    task_id: Option<ConversationKey<'a>>,
    #[serde(borrow)]
    trial: Option<ConversationKey<'a>>,
    #[serde(borrow)]
    model: Option<ConversationKey<'a>>,
}

/// An identifier; a value of any other type is ignored.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum ConversationKey<'a> {
    Label(#[serde(borrow)] loopbreak::step::Label<'a>),
    Other(serde::de::IgnoredAny),
}

impl ConversationKey<'_> {
    fn text(self) -> Option<String> {
        match self {
            ConversationKey::Label(label) => Some(label.as_text().into_owned()),
            ConversationKey::Other(_) => None,
        }
    }
}

impl ConversationKeys<'_> {
    fn run(self) -> Option<String> {
        let named = self.id.or(self.session_id).or(self.conversation_id).or(self.instance_id);
        if let Some(name) = named.and_then(ConversationKey::text) {
            return Some(name);
        }
        let task = self.task_id?.text()?;
        Some(match self.trial.and_then(ConversationKey::text) {
            Some(trial) => format!("task-{task}/trial-{trial}"),
            None => format!("task-{task}"),
        })
    }
}

impl ChatReader {
    /// Reads one conversation that is an object.
    fn conversation(
        &mut self,
        unit: LogUnit<'_>,
        alone: bool,
        sink: &mut dyn RecordSink,
    ) -> Result<(), SkipReason> {
        self.count += 1;
        let mut about: ConversationKeys<'_> = serde_json::from_str(unit.text).unwrap_or_default();
        let model = about.model.take().and_then(ConversationKey::text);
        let run = about.run().or_else(|| (!alone).then(|| format!("conversation-{}", self.count)));
        let mut conversation = ChatConversation::new(run, model);
        let mut broken = Ok(());
        let mut has_messages = false;
        let walked = walk_document(unit, &LISTS, &mut |part| {
            if part.listed {
                has_messages = true;
                let said = conversation.message(part.unit(), &*part.key == "history", sink);
                broken = std::mem::replace(&mut broken, Ok(())).and(said);
            }
        });
        conversation.end(sink);
        if !has_messages && let Some(kind) = unknown_call(unit.text) {
            sink.unread_item(&UnreadItem::new(unit.line, &kind));
        }
        walked.and(broken)
    }
}

impl LogReader for ChatReader {
    fn read_unit(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
        if !unit.text.trim_start().starts_with('[') {
            return if message::is_message(unit.text) {
                self.loose.message(unit, false, sink)
            } else {
                self.conversation(unit, unit.text.contains('\n'), sink)
            };
        }
        // A list of messages, or a list of conversations.
        let mut conversation = ChatConversation::default();
        let mut broken = Ok(());
        let walked = walk_document(unit, &[], &mut |part| {
            let said = if message::is_message(part.json.get()) {
                conversation.message(part.unit(), false, sink)
            } else {
                self.conversation(part.unit(), false, sink)
            };
            broken = std::mem::replace(&mut broken, Ok(())).and(said);
        });
        conversation.end(sink);
        walked.and(broken)
    }

    fn end(&mut self, sink: &mut dyn RecordSink) {
        self.loose.end(sink);
    }
}
