//! One message of a chat.

use loopbreak::step::{EpochMillis, StepText};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::message::MessageContent;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ChatMessage<'a> {
    #[serde(borrow)]
    pub(super) role: Option<StepText<'a>>,
    #[serde(borrow)]
    pub(super) content: MessageContent<'a>,
    #[serde(borrow)]
    pub(super) name: Option<StepText<'a>>,
    #[serde(borrow)]
    pub(super) tool_calls: Option<Vec<ChatToolCall<'a>>>,
    /// The old way to call a function.
    #[serde(borrow)]
    pub(super) function_call: Option<ChatFunction<'a>>,
    #[serde(borrow)]
    pub(super) tool_call_id: Option<StepText<'a>>,
    /// True if the call failed. Each framework has its own flag.
    #[serde(deserialize_with = "or_none")]
    is_error: Option<bool>,
    #[serde(rename = "isError", deserialize_with = "or_none")]
    is_mcp_error: Option<bool>,
    #[serde(borrow, deserialize_with = "or_none")]
    status: Option<StepText<'a>>,
    #[serde(borrow)]
    pub(super) model: Option<StepText<'a>>,
    #[serde(deserialize_with = "or_none")]
    pub(super) timestamp: Option<EpochMillis>,
    #[serde(deserialize_with = "or_none")]
    pub(super) usage: Option<ChatTokens>,
}

impl ChatMessage<'_> {
    /// Returns whether the call failed that the message is the result of. `None` if the message does not say.
    pub(super) fn is_failure(&self) -> Option<bool> {
        let status = || match self.status.as_deref()? {
            "error" | "failed" | "failure" => Some(true),
            "success" | "succeeded" | "ok" => Some(false),
            _ => None,
        };
        self.is_error.or(self.is_mcp_error).or_else(status)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ChatToolCall<'a> {
    #[serde(borrow)]
    pub(super) id: Option<StepText<'a>>,
    #[serde(borrow)]
    function: Option<ChatFunction<'a>>,
    /// Some frameworks leave out the object of the function.
    #[serde(borrow)]
    name: Option<StepText<'a>>,
    #[serde(borrow, alias = "args", alias = "input")]
    arguments: Option<&'a RawValue>,
}

impl<'a> ChatToolCall<'a> {
    /// Takes the function that is called. `None` if the call has another shape.
    pub(super) fn take_function(&mut self) -> Option<ChatFunction<'a>> {
        let (name, arguments) = (self.name.take(), self.arguments.take());
        self.function.take().or_else(|| Some(ChatFunction { name: Some(name?), arguments }))
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ChatFunction<'a> {
    #[serde(borrow)]
    pub(super) name: Option<StepText<'a>>,
    #[serde(borrow)]
    pub(super) arguments: Option<&'a RawValue>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ChatTokens {
    #[serde(alias = "input_tokens")]
    pub(super) prompt_tokens: Option<u64>,
    #[serde(alias = "output_tokens")]
    pub(super) completion_tokens: Option<u64>,
    #[serde(alias = "input_tokens_details", deserialize_with = "or_none")]
    pub(super) prompt_tokens_details: Option<ChatInputDetails>,
}

/// Parts of the input tokens.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ChatInputDetails {
    pub(super) cached_tokens: Option<u64>,
}

/// Returns whether a value is a message, and not a whole conversation.
pub(super) fn is_message(json: &str) -> bool {
    #[derive(Deserialize)]
    struct RoleField {
        #[expect(dead_code, reason = "only its presence matters")]
        role: IgnoredAny,
    }
    serde_json::from_str::<RoleField>(json).is_ok()
}

/// Reads a value of an unexpected type as `None`: these keys are used by many tools.
fn or_none<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    let raw = <&'de RawValue>::deserialize(deserializer)?;
    Ok(serde_json::from_str(raw.get()).ok())
}
