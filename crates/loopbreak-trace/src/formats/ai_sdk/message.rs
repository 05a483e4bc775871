//! One message with its parts.

use loopbreak::{
    Action, Outcome, Usage,
    step::{Denial, EpochMillis, HarnessEvent, Label, StepText},
};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::log_record::{RecordSink, UnreadItem};
use crate::message::{
    AgentConversation, CallResult, LogPosition, MessageContent, arguments, is_guard_reason, join_texts,
};
use crate::skip_reason::SkipReason;

/// A message, or a step of a run.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct AiSdkMessage<'a> {
    #[serde(borrow)]
    role: Option<StepText<'a>>,
    #[serde(borrow)]
    content: AiSdkContent<'a>,
    /// Only in messages of the user interface.
    #[serde(borrow)]
    parts: Option<Vec<AiSdkPart<'a>>>,
    #[serde(rename = "createdAt")]
    at: Option<EpochMillis>,
    usage: Option<AiSdkTokens>,
}

/// A text, or parts.
#[derive(Debug, Default)]
enum AiSdkContent<'a> {
    #[default]
    None,
    Text(StepText<'a>),
    Parts(Vec<AiSdkPart<'a>>),
}

impl<'de: 'a, 'a> Deserialize<'de> for AiSdkContent<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&'de RawValue>::deserialize(deserializer)?;
        let parsed = match raw.get().as_bytes().first() {
            Some(b'"') => serde_json::from_str(raw.get()).map(AiSdkContent::Text),
            Some(b'[') => serde_json::from_str(raw.get()).map(AiSdkContent::Parts),
            _ => Ok(AiSdkContent::None),
        };
        parsed.map_err(serde::de::Error::custom)
    }
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
struct AiSdkTokens {
    #[serde(rename = "inputTokens", alias = "promptTokens")]
    input: Option<u64>,
    #[serde(rename = "outputTokens", alias = "completionTokens")]
    output: Option<u64>,
    /// Part of the input.
    #[serde(rename = "cachedInputTokens")]
    cached: Option<u64>,
}

/// A part, with the keys of all kinds.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct AiSdkPart<'a> {
    #[serde(borrow, rename = "type")]
    kind: StepText<'a>,
    #[serde(borrow)]
    text: Option<StepText<'a>>,
    #[serde(borrow, rename = "toolCallId")]
    call: Option<StepText<'a>>,
    #[serde(borrow, rename = "toolName")]
    tool: Option<StepText<'a>>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    /// The same, in version 4.
    #[serde(borrow)]
    args: Option<&'a RawValue>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
    /// The same, in version 4.
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow, rename = "errorText")]
    error_text: Option<StepText<'a>>,
    #[serde(rename = "isError")]
    is_error: Option<bool>,
    /// State of a call in the user interface.
    #[serde(borrow)]
    state: Option<StepText<'a>>,
    #[serde(borrow)]
    approval: Option<AiSdkApproval<'a>>,
    /// A call in the user interface of version 4.
    #[serde(borrow, rename = "toolInvocation")]
    invocation: Option<Box<AiSdkPart<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct AiSdkApproval<'a> {
    #[serde(borrow)]
    reason: Option<StepText<'a>>,
}

/// The output of a call, with its type.
#[derive(Debug, Deserialize)]
struct AiSdkOutput<'a> {
    #[serde(borrow, rename = "type")]
    kind: StepText<'a>,
    #[serde(borrow)]
    value: Option<&'a RawValue>,
    #[serde(borrow)]
    reason: Option<StepText<'a>>,
}

impl AiSdkMessage<'_> {
    /// Returns whether a value is a message or a step.
    pub(super) fn is_message(json: &str) -> bool {
        #[derive(Deserialize)]
        struct MessageKeys {
            role: Option<IgnoredAny>,
            content: Option<IgnoredAny>,
            parts: Option<IgnoredAny>,
            messages: Option<IgnoredAny>,
            steps: Option<IgnoredAny>,
        }
        serde_json::from_str::<MessageKeys>(json).is_ok_and(|keys| {
            let is_conversation = keys.messages.is_some() || keys.steps.is_some();
            keys.role.is_some() || !is_conversation && (keys.content.is_some() || keys.parts.is_some())
        })
    }
}

/// Emits a message. `number` distinguishes it from the others.
pub(super) fn emit(
    message: AiSdkMessage<'_>,
    agent: &mut AgentConversation,
    number: u64,
    line: u64,
    sink: &mut dyn RecordSink,
) -> Result<(), SkipReason> {
    let position = LogPosition { line, at: message.at };
    let role = message.role.as_deref().unwrap_or("assistant").to_owned();
    let parts = match (message.parts, message.content) {
        (Some(parts), _) | (None, AiSdkContent::Parts(parts)) => parts,
        (None, AiSdkContent::Text(text)) => {
            vec![AiSdkPart { kind: "text".into(), text: Some(text), ..AiSdkPart::default() }]
        }
        (None, AiSdkContent::None) => Vec::new(),
    };
    match role.as_str() {
        "system" => return Ok(()),
        "user" => {
            let words = join_texts(parts.into_iter().filter_map(|part| part.text)).unwrap_or_default();
            if words.trim().is_empty() || is_guard_reason(&words) {
                agent.event(HarnessEvent::Continuation, position, sink);
            } else {
                agent.user(words, position, sink);
            }
            return Ok(());
        }
        "assistant" => {
            agent.end(sink);
            if let Some(tokens) = message.usage {
                agent.add_usage(Usage {
                    input_tokens: tokens.input,
                    output_tokens: tokens.output,
                    cache_read_tokens: tokens.cached,
                    ..Usage::default()
                });
            }
        }
        "tool" => {}
        other => {
            sink.unread_item(&UnreadItem::new(line, other));
            return Ok(());
        }
    }
    let mut heard = Ok(());
    // The calls of one message are made in parallel. A message of the user interface has several steps.
    let mut step = 0;
    for part in parts {
        if &*part.kind == "step-start" {
            agent.end(sink);
            step += 1;
        }
        let batch = if step > 1 { format!("{number}.{step}") } else { number.to_string() };
        let said = emit_part(part, agent, Label::from(batch), position, sink);
        heard = heard.and(said);
    }
    heard
}

fn emit_part(
    part: AiSdkPart<'_>,
    agent: &mut AgentConversation,
    batch: Label<'static>,
    position: LogPosition,
    sink: &mut dyn RecordSink,
) -> Result<(), SkipReason> {
    let batch = Some(batch);
    match &*part.kind {
        "text" => agent.say(part.text.as_deref().unwrap_or_default(), position),
        "tool-call" => {
            let action = action(part.tool, part.input.or(part.args));
            agent.call(part.call, action, batch, position, sink);
        }
        "tool-result" | "tool-error" => {
            let is_error = part.is_error == Some(true) || &*part.kind == "tool-error";
            let result = part.output.or(part.result).or(part.error);
            return agent.result(part.call.as_deref(), result_of(result, is_error), position, sink);
        }
        "reasoning"
        | "redacted-reasoning"
        | "step-start"
        | "file"
        | "image"
        | "source"
        | "source-url"
        | "source-document"
        | "tool-approval-request"
        | "tool-approval-response" => {}
        "tool-invocation" => {
            let call = *part.invocation.unwrap_or_default();
            let name = call.tool.clone();
            emit_interface_call(name, call, agent, batch, position, sink);
        }
        "dynamic-tool" => {
            let name = part.tool.clone();
            emit_interface_call(name, part, agent, batch, position, sink);
        }
        kind if kind.starts_with("data-") => {}
        kind => match kind.strip_prefix("tool-").map(str::to_owned) {
            Some(name) => emit_interface_call(Some(name.into()), part, agent, batch, position, sink),
            None => sink.unread_item(&UnreadItem::new(position.line, kind)),
        },
    }
    Ok(())
}

fn action(name: Option<StepText<'_>>, input: Option<&RawValue>) -> Action<'static> {
    let mut action = Action::new(name.map(StepText::into_owned).unwrap_or_default());
    action.args = input.and_then(arguments);
    action
}

/// Emits a call of the user interface, which holds its result.
fn emit_interface_call(
    name: Option<StepText<'_>>,
    part: AiSdkPart<'_>,
    agent: &mut AgentConversation,
    batch: Option<Label<'static>>,
    position: LogPosition,
    sink: &mut dyn RecordSink,
) {
    let action = action(name, part.input.or(part.args));
    let result = match part.state.as_deref().unwrap_or_default() {
        "output-available" | "result" => Some(result_of(part.output.or(part.result), false)),
        "output-error" => {
            let text = part.error_text.unwrap_or_else(|| "the call failed".into());
            let denied = is_guard_reason(&text).then_some(Denial::Guard);
            Some(CallResult::new(Outcome { denied, ..Outcome::new(text).with_error(true) }))
        }
        "output-denied" => Some(denied(part.approval.and_then(|approval| approval.reason))),
        _ => None,
    };
    agent.finished_call(action, batch, result, position, sink);
}

/// Returns the result of a call that was denied.
fn denied(reason: Option<StepText<'_>>) -> CallResult<'_> {
    let by = match reason.as_deref() {
        Some(reason) if is_guard_reason(reason) => Denial::Guard,
        Some(_) => Denial::Policy,
        None => Denial::User,
    };
    CallResult::new(Outcome { text: reason, denied: Some(by), ..Outcome::default() })
}

/// Returns the result of a call: any value, or one with a type.
fn result_of(json: Option<&RawValue>, is_error: bool) -> CallResult<'_> {
    let Some(json) = json else {
        return CallResult::new(Outcome { error: Some(is_error), ..Outcome::default() });
    };
    let (value, failed) = match serde_json::from_str::<AiSdkOutput<'_>>(json.get()) {
        Ok(output) => match &*output.kind {
            "execution-denied" => return denied(output.reason),
            "error-text" | "error-json" => (output.value.unwrap_or(json), true),
            "text" | "json" | "content" => (output.value.unwrap_or(json), is_error),
            _ => (json, is_error),
        },
        Err(_) => (json, is_error),
    };
    let is_text = value.get().starts_with(['"', '[']);
    let content = is_text.then(|| serde_json::from_str::<MessageContent<'_>>(value.get()).ok()).flatten();
    let text = content.and_then(MessageContent::into_text).filter(|text| !text.is_empty());
    let text = text.unwrap_or_else(|| StepText::from(value.get()));
    let denied = (failed && is_guard_reason(&text)).then_some(Denial::Guard);
    CallResult::new(Outcome { denied, ..Outcome::new(text).with_error(failed) })
}
