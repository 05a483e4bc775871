//! Reads an exported session, or the events of a run.

use loopbreak::step::{EpochMillis, StepText};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::message::{OpencodeMessage, OpencodePart, emit_message, emit_part};
use crate::log_format::{LogReader, LogUnit};
use crate::log_record::{RecordSink, UnreadItem};
use crate::message::{AgentConversation, LogPosition, walk_document};
use crate::skip_reason::SkipReason;

/// Reads a session.
#[derive(Debug, Default)]
pub(super) struct OpencodeSession {
    agent: AgentConversation,
    /// The message that the last event belongs to.
    message: Option<String>,
}

/// Description of the session in an export.
#[derive(Debug, Deserialize)]
struct OpencodeInfo<'a> {
    #[serde(borrow)]
    id: StepText<'a>,
}

/// An event of a run.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct OpencodeEvent<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<StepText<'a>>,
    #[serde(borrow, rename = "sessionID")]
    session: Option<StepText<'a>>,
    timestamp: Option<EpochMillis>,
    #[serde(borrow)]
    part: Option<OpencodePart<'a>>,
    #[serde(borrow)]
    info: Option<&'a RawValue>,
}

impl LogReader for OpencodeSession {
    fn read_unit(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
        let mut is_document = false;
        let mut broken = Ok(());
        let walked = walk_document(unit, &["messages"], &mut |part| {
            if part.listed {
                is_document = true;
                let said = self.message(part.unit(), sink);
                broken = std::mem::replace(&mut broken, Ok(())).and(said);
            } else if &*part.key == "info"
                && let Ok(info) = serde_json::from_str::<OpencodeInfo<'_>>(part.json.get())
                && info.id.starts_with("ses")
            {
                self.begin(Some(&info.id), sink);
                is_document = true;
            }
        });
        if !is_document && walked.is_ok() {
            return self.line(unit, sink);
        }
        // An export holds the whole session.
        self.agent.end(sink);
        walked.and(broken)
    }

    fn end(&mut self, sink: &mut dyn RecordSink) {
        self.agent.end(sink);
    }
}

impl OpencodeSession {
    /// Begins a session, unless it goes on.
    fn begin(&mut self, session: Option<&str>, sink: &mut dyn RecordSink) {
        if session.is_some() && self.agent.run.as_deref() != session {
            self.agent.end(sink);
            self.agent = AgentConversation::new(session, None);
        }
    }

    /// Reads a message with its parts.
    fn message(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
        let message: OpencodeMessage<'_> =
            serde_json::from_str(unit.text).map_err(|error| SkipReason::malformed(unit.text, &error))?;
        let session = message.session().map(str::to_owned);
        self.begin(session.as_deref(), sink);
        emit_message(message, &mut self.agent, unit.line, sink);
        Ok(())
    }

    /// Reads a line: a message, or an event of a run.
    fn line(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
        let event: OpencodeEvent<'_> =
            serde_json::from_str(unit.text).map_err(|error| SkipReason::malformed(unit.text, &error))?;
        if event.info.is_some() {
            return self.message(unit, sink);
        }
        self.begin(event.session.as_deref(), sink);
        let Some(part) = event.part else {
            if !matches!(event.kind.as_deref(), Some("error")) {
                sink.unread_item(&UnreadItem::new(unit.line, event.kind.as_deref().unwrap_or_default()));
            }
            return Ok(());
        };
        if part.message() != self.message.as_deref() {
            self.agent.end(sink);
            self.message = part.message().map(str::to_owned);
        }
        let batch = self.message.clone();
        let position = LogPosition { line: unit.line, at: event.timestamp };
        emit_part(part, &mut self.agent, batch.as_deref(), position, sink);
        Ok(())
    }
}
