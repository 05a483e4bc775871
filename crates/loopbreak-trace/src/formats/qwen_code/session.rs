//! Distributes the lines of a session to its agents.

use loopbreak::{
    Action, Outcome,
    step::{Denial, HarnessEvent, Label, StepText},
};

use super::record::{QwenAuthor, QwenRecord, QwenResult};
use crate::log_format::{LogReader, LogUnit};
use crate::log_record::{RecordSink, UnreadItem};
use crate::message::{
    AgentConversation, CallResult, ContentPart, LogPosition, arguments, is_guard_reason, join_texts,
    unwrap_step_text,
};
use crate::skip_reason::SkipReason;

/// Maximum number of agents. The one that was silent longest is dropped first.
const AGENTS: usize = 512;

/// Reads a session.
#[derive(Debug, Default)]
pub(super) struct QwenSession {
    /// Agents, the most recently active one last.
    agents: Vec<AgentConversation>,
}

impl LogReader for QwenSession {
    fn read_unit(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
        let record: QwenRecord<'_> =
            serde_json::from_str(unit.text).map_err(|error| SkipReason::malformed(unit.text, &error))?;
        let position = LogPosition { line: unit.line, at: record.timestamp };
        let agent = self.agent(record.session.as_deref(), record.agent(), sink);
        match record.kind.as_deref() {
            Some("user") => user(record, agent, position, sink),
            Some("assistant") => assistant(record, agent, position, sink),
            Some("tool_result") => return results(record, agent, position, sink),
            Some("system") => {
                if record.subtype.as_deref() == Some("chat_compression") {
                    agent.event(HarnessEvent::Compaction, position, sink);
                }
            }
            other => sink.unread_item(&UnreadItem::new(unit.line, other.unwrap_or_default())),
        }
        Ok(())
    }

    fn end(&mut self, sink: &mut dyn RecordSink) {
        for mut agent in self.agents.drain(..) {
            agent.end(sink);
        }
    }
}

impl QwenSession {
    /// Returns the agent with this name, and creates it if necessary.
    fn agent(
        &mut self,
        session: Option<&str>,
        name: Option<&str>,
        sink: &mut dyn RecordSink,
    ) -> &mut AgentConversation {
        let is =
            |agent: &AgentConversation| agent.agent.as_deref() == name && agent.run.as_deref() == session;
        let agent = match self.agents.iter().rposition(is) {
            Some(at) => self.agents.remove(at),
            None => AgentConversation::new(session, name),
        };
        if self.agents.len() >= AGENTS {
            self.agents.remove(0).end(sink);
        }
        self.agents.push(agent);
        let last = self.agents.len() - 1;
        &mut self.agents[last]
    }
}

fn parts<'a>(record: &mut QwenRecord<'a>) -> Vec<ContentPart<'a>> {
    record.message.take().and_then(|message| message.parts).unwrap_or_default()
}

fn user(
    mut record: QwenRecord<'_>,
    agent: &mut AgentConversation,
    position: LogPosition,
    sink: &mut dyn RecordSink,
) {
    let author = record.author();
    let words = join_texts(parts(&mut record).into_iter().filter_map(|part| part.text));
    // Hooks add their texts to the prompt. An empty prompt follows each batch of calls, and is nobody's.
    let words = words.map(|words| unwrap_step_text(words).0).filter(|words| !words.trim().is_empty());
    match (author, words) {
        (QwenAuthor::Harness(event), _) => agent.event(event, position, sink),
        (QwenAuthor::Human, Some(words)) if is_guard_reason(&words) => {
            agent.event(HarnessEvent::Continuation, position, sink);
        }
        (QwenAuthor::Human, Some(words)) => agent.user(words, position, sink),
        _ => {}
    }
}

fn assistant(
    mut record: QwenRecord<'_>,
    agent: &mut AgentConversation,
    position: LogPosition,
    sink: &mut dyn RecordSink,
) {
    agent.end(sink);
    agent.set_model(record.model.as_deref());
    if let Some(tokens) = record.usage {
        agent.add_usage(tokens.into());
    }
    let batch = record.uuid.take().map(|id| Label::from(id.0.into_owned()));
    for part in parts(&mut record) {
        if let Some(call) = part.call {
            let mut action = Action::new(call.name.map(StepText::into_owned).unwrap_or_default());
            action.args = call.args.and_then(arguments);
            agent.call(call.id, action, batch.clone(), position, sink);
        } else if let Some(text) = part.text.filter(|_| part.thought != Some(true)) {
            agent.say(&text, position);
        }
    }
}

fn results(
    mut record: QwenRecord<'_>,
    agent: &mut AgentConversation,
    position: LogPosition,
    sink: &mut dyn RecordSink,
) -> Result<(), SkipReason> {
    let about = record.result.take().unwrap_or_default();
    let mut heard = Ok(());
    for part in parts(&mut record) {
        let id = part.response.as_ref().and_then(|response| response.id.clone());
        if part.response.is_none() {
            continue;
        }
        let id = id.or_else(|| about.call.clone());
        let result = result(part, &about);
        heard = heard.and(agent.result(id.as_deref(), result, position, sink));
    }
    heard
}

/// Returns the result of a call.
fn result<'a>(part: ContentPart<'a>, about: &QwenResult<'_>) -> CallResult<'a> {
    let unwrapped = part.into_result_text().map(unwrap_step_text);
    let (text, exit) = unwrapped.map_or((None, None), |(text, exit)| (Some(text), exit));
    let status = about.status.as_deref();
    let is_error = status == Some("error") || status.is_none() && about.error.is_some();
    let denied = match (status, text.as_deref()) {
        (_, Some(text)) if is_error && is_guard_reason(text) => Some(Denial::Guard),
        (Some("cancelled"), _) => Some(Denial::User),
        _ => None,
    };
    let error = match (exit, status) {
        (Some(code), _) => Some(code != 0 || is_error),
        (None, Some("success")) => Some(false),
        (None, _) => (is_error || denied.is_some()).then_some(true),
    };
    CallResult::new(Outcome { text, error, exit, denied })
}
