//! Finds the messages of conversations in documents and lines.

use std::collections::{HashSet, VecDeque};

use loopbreak::step::Label;
use serde::Deserialize;
use serde_json::value::RawValue;
use xxhash_rust::xxh3::xxh3_64;

use super::LISTS;
use super::message::{LangChainMessage, emit};
use crate::log_format::{LogReader, LogUnit};
use crate::log_record::{RecordSink, UnreadItem};
use crate::message::{AgentConversation, walk_document};
use crate::skip_reason::SkipReason;

/// Number of ids of messages that are remembered.
const IDS: usize = 65_536;

/// Reads conversations.
#[derive(Debug, Default)]
pub(super) struct LangChainReader {
    agent: AgentConversation,
    seen: SeenMessages,
    /// Number of conversations that are lists in a list.
    count: u64,
}

/// Checksums of the ids of messages. States of a graph repeat the messages before them.
#[derive(Debug, Default)]
struct SeenMessages {
    ids: HashSet<u64>,
    order: VecDeque<u64>,
}

impl SeenMessages {
    /// Returns whether a message is seen for the first time. A message without an id always is.
    fn is_new(&mut self, id: Option<&str>) -> bool {
        let Some(id) = id.filter(|id| !id.is_empty()) else { return true };
        let sum = xxh3_64(id.as_bytes());
        if !self.ids.insert(sum) {
            return false;
        }
        self.order.push_back(sum);
        if self.order.len() > IDS
            && let Some(oldest) = self.order.pop_front()
        {
            self.ids.remove(&oldest);
        }
        true
    }
}

/// Keys that name the run of a document.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct LangChainKeys<'a> {
    #[serde(borrow, rename = "thread_id")]
    thread: Option<Label<'a>>,
    #[serde(borrow, rename = "session_id")]
    session: Option<Label<'a>>,
    #[serde(borrow, rename = "run_id")]
    run: Option<Label<'a>>,
}

impl LogReader for LangChainReader {
    fn read_unit(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
        if let Some(message) = LangChainMessage::parse(unit.text) {
            return self.message(message, unit.line, sink);
        }
        let walked = self.walk(unit, 0, sink);
        // A list holds the whole conversation. The next state of a graph goes on.
        if unit.text.trim_start().starts_with('[') {
            self.agent.end(sink);
        }
        walked
    }

    fn end(&mut self, sink: &mut dyn RecordSink) {
        self.agent.end(sink);
    }
}

impl LangChainReader {
    fn message(
        &mut self,
        message: LangChainMessage<'_>,
        line: u64,
        sink: &mut dyn RecordSink,
    ) -> Result<(), SkipReason> {
        if !self.seen.is_new(message.id()) {
            return Ok(());
        }
        emit(message, &mut self.agent, line, sink)
    }

    /// Reads a list of messages, a list of such lists, or an object that holds them.
    fn walk(&mut self, unit: LogUnit<'_>, depth: usize, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
        if unit.text.trim_start().starts_with('{') {
            self.begin(unit.text, sink);
        }
        let mut broken = Ok(());
        let walked = walk_document(unit, &LISTS, &mut |part| {
            let is_nested = part.json.get().starts_with(['[', '{']);
            let said = match LangChainMessage::parse(part.json.get()) {
                Some(message) if part.listed => self.message(message, part.line, sink),
                // Lists of lists, states under `values`, and lists of conversations.
                _ if is_nested && depth < 3 && (part.listed || &*part.key == "values") => {
                    let is_list = part.listed && part.json.get().starts_with('[');
                    if is_list && !holds_one(unit.text) {
                        self.count += 1;
                        self.agent.end(sink);
                        self.agent.run = Some(format!("conversation-{}", self.count));
                    }
                    self.walk(part.unit(), depth + 1, sink)
                }
                _ if part.listed => {
                    sink.unread_item(&UnreadItem::new(part.line, ""));
                    Ok(())
                }
                _ => Ok(()),
            };
            broken = std::mem::replace(&mut broken, Ok(())).and(said);
        });
        walked.and(broken)
    }

    /// Begins the conversation that an object names, unless it goes on.
    fn begin(&mut self, text: &str, sink: &mut dyn RecordSink) {
        let keys: LangChainKeys<'_> = serde_json::from_str(text).unwrap_or_default();
        let run = keys.thread.or(keys.session).or(keys.run).map(|run| run.as_text().into_owned());
        if run.is_some() && self.agent.run != run {
            self.agent.end(sink);
            self.agent.run = run;
        }
    }
}

/// Returns whether a list has only one element.
fn holds_one(list: &str) -> bool {
    serde_json::from_str::<Vec<&RawValue>>(list).is_ok_and(|elements| elements.len() == 1)
}
