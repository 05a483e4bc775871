//! One message of a session with its parts.

use loopbreak::{
    Action, Outcome, Usage,
    step::{Denial, EpochMillis, HarnessEvent, Label, StepText},
};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::log_record::{RecordSink, UnreadItem};
use crate::message::{
    AgentConversation, CallResult, LogPosition, arguments, is_guard_reason, join_texts, unwrap_step_text,
};

/// Beginning of the error of a call that the user rejected.
const BY_USER: &str = "The user rejected permission";
/// Beginning of the error of a call that a rule denied.
const BY_RULE: &str = "The user has specified a rule which prevents";
/// Error of a call that the user interrupted.
const ABORTED: &str = "Tool execution aborted";

/// A message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct OpencodeMessage<'a> {
    #[serde(borrow)]
    info: OpencodeMessageInfo<'a>,
    #[serde(borrow)]
    parts: Vec<OpencodePart<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct OpencodeMessageInfo<'a> {
    #[serde(borrow)]
    id: Option<StepText<'a>>,
    #[serde(borrow)]
    role: Option<StepText<'a>>,
    #[serde(borrow, rename = "sessionID")]
    session: Option<StepText<'a>>,
    #[serde(borrow, rename = "modelID")]
    model: Option<StepText<'a>>,
    time: Option<OpencodeTime>,
    tokens: Option<OpencodeTokens>,
    cost: Option<f64>,
    /// True for the summary of a compacted conversation; an object in messages of a user.
    #[serde(borrow)]
    summary: Option<&'a RawValue>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
struct OpencodeTime {
    created: Option<EpochMillis>,
    start: Option<EpochMillis>,
    end: Option<EpochMillis>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
struct OpencodeTokens {
    input: Option<u64>,
    output: Option<u64>,
    reasoning: Option<u64>,
    cache: Option<OpencodeCache>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
struct OpencodeCache {
    read: Option<u64>,
    write: Option<u64>,
}

/// A part of a message, with the keys of all kinds.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct OpencodePart<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<StepText<'a>>,
    #[serde(borrow, rename = "messageID")]
    message: Option<StepText<'a>>,
    #[serde(borrow)]
    text: Option<StepText<'a>>,
    /// Written by the program, not by the user.
    synthetic: Option<bool>,
    ignored: Option<bool>,
    #[serde(borrow)]
    tool: Option<StepText<'a>>,
    #[serde(borrow)]
    state: Option<OpencodeToolState<'a>>,
    tokens: Option<OpencodeTokens>,
    cost: Option<f64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct OpencodeToolState<'a> {
    #[serde(borrow)]
    status: Option<StepText<'a>>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow)]
    output: Option<StepText<'a>>,
    #[serde(borrow)]
    error: Option<StepText<'a>>,
    metadata: Option<OpencodeMetadata>,
    time: Option<OpencodeTime>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
struct OpencodeMetadata {
    exit: Option<i64>,
}

impl<'a> OpencodeMessage<'a> {
    /// Creates the message with this id.
    #[cfg(feature = "sqlite")]
    pub(super) fn new(id: &'a str, info: OpencodeMessageInfo<'a>, parts: Vec<OpencodePart<'a>>) -> Self {
        OpencodeMessage { info: OpencodeMessageInfo { id: Some(id.into()), ..info }, parts }
    }

    /// Returns the session that the message belongs to.
    pub(super) fn session(&self) -> Option<&str> {
        self.info.session.as_deref()
    }
}

impl OpencodePart<'_> {
    /// Returns the message that the part belongs to.
    pub(super) fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }
}

fn usage(tokens: Option<OpencodeTokens>, cost: Option<f64>) -> Option<Usage> {
    let tokens = tokens?;
    let cache = tokens.cache.unwrap_or_default();
    let sum = |first: Option<u64>, more: [Option<u64>; 2]| {
        first.map(|first| more.into_iter().flatten().fold(first, u64::saturating_add))
    };
    Some(Usage {
        input_tokens: sum(tokens.input, [cache.read, cache.write]),
        output_tokens: sum(tokens.output, [tokens.reasoning, None]),
        cache_read_tokens: cache.read,
        cache_write_tokens: cache.write,
        cache_write_1h_tokens: None,
        cost_usd: cost.filter(|cost| cost.is_finite() && *cost >= 0.0),
    })
}

/// Emits a message with its parts.
pub(super) fn emit_message(
    message: OpencodeMessage<'_>,
    agent: &mut AgentConversation,
    line: u64,
    sink: &mut dyn RecordSink,
) {
    let OpencodeMessage { info, parts } = message;
    let position = LogPosition { line, at: info.time.and_then(|time| time.created) };
    if info.role.as_deref() == Some("user") {
        emit_user(parts, agent, position, sink);
        return;
    }
    agent.end(sink);
    agent.set_model(info.model.as_deref());
    let is_summary = info.summary.is_some_and(|summary| summary.get() == "true");
    if let Some(usage) = usage(info.tokens, info.cost) {
        agent.add_usage(usage);
    }
    for part in parts {
        // The usage of the steps is that of the message, and a summary is nothing that the agent said.
        match part.kind.as_deref() {
            Some("step-finish") => {}
            Some("text") if is_summary => {}
            _ => emit_part(part, agent, info.id.as_deref(), position, sink),
        }
    }
}

/// Emits a message of the user.
fn emit_user(
    parts: Vec<OpencodePart<'_>>,
    agent: &mut AgentConversation,
    position: LogPosition,
    sink: &mut dyn RecordSink,
) {
    let is_compaction = parts.iter().any(|part| part.kind.as_deref() == Some("compaction"));
    let is_text =
        |part: &OpencodePart<'_>| part.kind.as_deref() == Some("text") && part.ignored != Some(true);
    let has_machine_text = parts.iter().any(|part| is_text(part) && part.synthetic == Some(true));
    let written = parts.into_iter().filter(|part| is_text(part) && part.synthetic != Some(true));
    let words = join_texts(written.filter_map(|part| part.text)).filter(|words| !words.trim().is_empty());
    if is_compaction {
        agent.event(HarnessEvent::Compaction, position, sink);
    } else if let Some(words) = words {
        if is_guard_reason(&words) {
            agent.event(HarnessEvent::Continuation, position, sink);
        } else {
            agent.user(words, position, sink);
        }
    } else if has_machine_text {
        agent.event(HarnessEvent::Continuation, position, sink);
    }
}

/// Emits a part of a message of the agent.
pub(super) fn emit_part(
    part: OpencodePart<'_>,
    agent: &mut AgentConversation,
    batch: Option<&str>,
    position: LogPosition,
    sink: &mut dyn RecordSink,
) {
    match part.kind.as_deref().unwrap_or_default() {
        "text" if part.synthetic != Some(true) => {
            agent.say(part.text.as_deref().unwrap_or_default(), position);
        }
        "tool" => {
            let state = part.state.unwrap_or_default();
            let mut action = Action::new(part.tool.map(StepText::into_owned).unwrap_or_default());
            action.args = state.input.and_then(arguments);
            let at = state.time.and_then(|time| time.end.or(time.start)).or(position.at);
            let batch = batch.map(|batch| Label::from(batch.to_owned()));
            agent.finished_call(action, batch, state.into_result(), LogPosition { at, ..position }, sink);
        }
        "step-finish" => {
            if let Some(usage) = usage(part.tokens, part.cost) {
                agent.add_usage(usage);
            }
        }
        "text" | "reasoning" | "step-start" | "snapshot" | "patch" | "file" | "agent" | "subtask"
        | "retry" | "compaction" => {}
        other => sink.unread_item(&UnreadItem::new(position.line, other)),
    }
}

impl<'a> OpencodeToolState<'a> {
    /// Returns the result of the call, if it has ended.
    fn into_result(self) -> Option<CallResult<'a>> {
        let is_error = match self.status.as_deref() {
            Some("completed") => false,
            Some("error") => true,
            _ => return None,
        };
        let written = if is_error { self.error.or(self.output) } else { self.output };
        let (text, stated) =
            written.map(unwrap_step_text).map_or((None, None), |(text, exit)| (Some(text), exit));
        let exit = self.metadata.and_then(|metadata| metadata.exit).or(stated);
        let reason = text.as_deref().filter(|_| is_error).unwrap_or_default();
        let denied = if is_guard_reason(reason) {
            Some(Denial::Guard)
        } else if reason.starts_with(BY_RULE) {
            Some(Denial::Policy)
        } else {
            reason.starts_with(BY_USER).then_some(Denial::User)
        };
        let is_aborted = reason.starts_with(ABORTED);
        let error = Some(is_error || exit.is_some_and(|code| code != 0));
        let outcome = Outcome { text, error, exit, denied };
        Some(if is_aborted { CallResult::interrupted(outcome) } else { CallResult::new(outcome) })
    }
}
