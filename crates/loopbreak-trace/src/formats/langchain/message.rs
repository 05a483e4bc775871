//! One message, in the ways in which `LangChain` writes it.

use loopbreak::{
    Action, Outcome, Usage,
    step::{Denial, HarnessEvent, Label, StepText},
};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::log_record::{RecordSink, UnreadItem};
use crate::message::{
    AgentConversation, CallResult, LogPosition, MessageContent, arguments, is_guard_reason, unwrap_step_text,
};
use crate::skip_reason::SkipReason;

/// A message as `dumps` or `messages_to_dict` wraps it, or as it is.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct LangChainEnvelope<'a> {
    /// The class, as a path.
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    kwargs: Option<&'a RawValue>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
    #[serde(borrow, rename = "type")]
    kind: Option<StepText<'a>>,
}

/// A message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct LangChainMessage<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<StepText<'a>>,
    #[serde(borrow)]
    id: Option<StepText<'a>>,
    #[serde(borrow)]
    content: Option<MessageContent<'a>>,
    #[serde(borrow)]
    name: Option<StepText<'a>>,
    /// Only in messages of the type `chat`.
    #[serde(borrow)]
    role: Option<StepText<'a>>,
    #[serde(borrow)]
    tool_calls: Option<Vec<LangChainCall<'a>>>,
    /// Calls whose arguments are not valid. They were not made.
    #[serde(borrow)]
    invalid_tool_calls: Option<Vec<LangChainCall<'a>>>,
    #[serde(borrow)]
    tool_call_id: Option<StepText<'a>>,
    #[serde(borrow)]
    status: Option<StepText<'a>>,
    usage_metadata: Option<LangChainTokens>,
    #[serde(borrow)]
    response_metadata: Option<LangChainResponse<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct LangChainCall<'a> {
    #[serde(borrow)]
    id: Option<StepText<'a>>,
    #[serde(borrow)]
    name: Option<StepText<'a>>,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<StepText<'a>>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
struct LangChainTokens {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    input_token_details: Option<LangChainInputDetails>,
}

/// Parts of the input.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
struct LangChainInputDetails {
    cache_read: Option<u64>,
    cache_creation: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct LangChainResponse<'a> {
    #[serde(borrow, alias = "model")]
    model_name: Option<StepText<'a>>,
}

impl<'a> LangChainMessage<'a> {
    /// Parses a message. Returns `None` if the value is something else.
    pub(super) fn parse(json: &'a str) -> Option<Self> {
        let envelope: LangChainEnvelope<'a> = serde_json::from_str(json).ok()?;
        let message: LangChainMessage<'a> = match envelope.kwargs.or(envelope.data) {
            Some(inner) => {
                let message: LangChainMessage<'a> = serde_json::from_str(inner.get()).ok()?;
                let class = envelope.id.and_then(class_of);
                LangChainMessage { kind: message.kind.or(class).or(envelope.kind), ..message }
            }
            None => serde_json::from_str(json).ok()?,
        };
        (message.kind.is_some() && message.content.is_some()).then_some(message)
    }

    /// Returns the id of the message.
    pub(super) fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }
}

/// Returns the type of a message, given the path of its class: `["langchain", "schema", "messages", "AIMessage"]`.
fn class_of(path: &RawValue) -> Option<StepText<'static>> {
    let path: Vec<String> = serde_json::from_str(path.get()).ok()?;
    let class = path.last()?.trim_end_matches("Chunk").trim_end_matches("Message").to_ascii_lowercase();
    Some(class.into())
}

/// Emits a message.
pub(super) fn emit(
    message: LangChainMessage<'_>,
    agent: &mut AgentConversation,
    line: u64,
    sink: &mut dyn RecordSink,
) -> Result<(), SkipReason> {
    let position = LogPosition { line, at: None };
    let kind = message.kind.as_deref().unwrap_or_default().to_ascii_lowercase();
    let role = message.role.as_deref().filter(|_| kind == "chat").unwrap_or(&kind).to_owned();
    match role.trim_end_matches("chunk").trim_end_matches("message") {
        "human" | "user" => {
            let words = message.content.unwrap_or_default().into_text().unwrap_or_default();
            if words.trim().is_empty() || is_guard_reason(&words) {
                agent.event(HarnessEvent::Continuation, position, sink);
            } else {
                agent.user(words, position, sink);
            }
        }
        "ai" | "assistant" => emit_answer(message, agent, position, sink),
        "tool" | "function" => {
            let text = message.content.unwrap_or_default().into_text();
            let result = result(text, message.status.as_deref());
            return agent.result(message.tool_call_id.as_deref(), result, position, sink);
        }
        "system" | "developer" | "remove" => {}
        other => sink.unread_item(&UnreadItem::new(line, other)),
    }
    Ok(())
}

/// Emits a message of the model.
fn emit_answer(
    message: LangChainMessage<'_>,
    agent: &mut AgentConversation,
    position: LogPosition,
    sink: &mut dyn RecordSink,
) {
    agent.end(sink);
    agent.agent = message.name.map(|name| name.0.into_owned());
    agent.set_model(message.response_metadata.and_then(|about| about.model_name).as_deref());
    if let Some(tokens) = message.usage_metadata {
        let details = tokens.input_token_details.unwrap_or_default();
        agent.add_usage(Usage {
            input_tokens: tokens.input_tokens,
            output_tokens: tokens.output_tokens,
            cache_read_tokens: details.cache_read,
            cache_write_tokens: details.cache_creation,
            ..Usage::default()
        });
    }
    for block in message.content.unwrap_or_default().into_blocks() {
        // Calls are blocks too, and listed once more under `tool_calls`.
        if let Some(text) = block.text.filter(|_| matches!(&*block.kind, "" | "text" | "output_text")) {
            agent.say(&text, position);
        }
    }
    let calls = message.tool_calls.unwrap_or_default();
    let invalid = message.invalid_tool_calls.unwrap_or_default();
    let id = message.id.as_deref().filter(|_| calls.len() + invalid.len() > 1);
    let batch = id.map(|id| Label::from(id.to_owned()));
    let action = |name: Option<StepText<'_>>, args: Option<&RawValue>| {
        let mut action = Action::new(name.map(StepText::into_owned).unwrap_or_default());
        action.args = args.and_then(arguments);
        action
    };
    for call in invalid {
        let reason = call.error.unwrap_or_else(|| "the arguments are not valid".into());
        let result = CallResult::new(Outcome::new(reason).with_error(true));
        agent.finished_call(action(call.name, call.args), batch.clone(), Some(result), position, sink);
    }
    for call in calls {
        agent.call(call.id, action(call.name, call.args), batch.clone(), position, sink);
    }
}

/// Returns the result of a call.
fn result<'a>(text: Option<StepText<'a>>, status: Option<&str>) -> CallResult<'a> {
    let (text, exit) = text.map(unwrap_step_text).map_or((None, None), |(text, exit)| (Some(text), exit));
    let error = match status {
        Some("error") => Some(true),
        // It is the default, also if a tool returns its error as a text.
        _ => exit.map(|code| code != 0),
    };
    let reason = text.as_deref().filter(|_| error == Some(true));
    let denied = reason.is_some_and(is_guard_reason).then_some(Denial::Guard);
    CallResult::new(Outcome { text, error, exit, denied })
}
