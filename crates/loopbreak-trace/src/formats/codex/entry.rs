//! One line of a rollout, reduced to the keys that matter.

use loopbreak::step::{EpochMillis, StepText};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::message::MessageContent;

/// A line. Other keys are ignored.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CodexEntry<'a> {
    pub(super) timestamp: Option<EpochMillis>,
    #[serde(borrow)]
    pub(super) payload: Option<&'a RawValue>,
    #[serde(borrow, rename = "type")]
    pub(super) kind: Option<StepText<'a>>,
    #[serde(borrow)]
    pub(super) id: Option<StepText<'a>>,
}

/// The payload of a line, with the keys of all kinds.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CodexItem<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Option<StepText<'a>>,
    #[serde(borrow)]
    pub(super) id: Option<StepText<'a>>,
    #[serde(borrow)]
    pub(super) role: Option<StepText<'a>>,
    #[serde(borrow)]
    pub(super) content: MessageContent<'a>,
    #[serde(borrow)]
    pub(super) name: Option<StepText<'a>>,
    #[serde(borrow)]
    pub(super) arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) input: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) action: Option<&'a RawValue>,
    #[serde(borrow, alias = "callId")]
    pub(super) call_id: Option<StepText<'a>>,
    #[serde(borrow)]
    pub(super) output: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) status: Option<StepText<'a>>,
    /// Arguments of an edit.
    #[serde(borrow)]
    pub(super) operation: Option<&'a RawValue>,
    /// Arguments of calls that the service makes on its own, and their results.
    #[serde(borrow)]
    pub(super) queries: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) code: Option<&'a RawValue>,
    #[serde(borrow, alias = "outputs")]
    pub(super) results: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) server_label: Option<StepText<'a>>,
    /// Result of a search for tools.
    #[serde(borrow)]
    pub(super) tools: Option<&'a RawValue>,
}

/// The kind of a payload, without the other keys.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CodexItemKind<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Option<StepText<'a>>,
}

/// Metadata of the session and of its turns.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CodexContext<'a> {
    #[serde(borrow)]
    pub(super) id: Option<StepText<'a>>,
    #[serde(borrow)]
    pub(super) model: Option<StepText<'a>>,
    /// The folder that the agent works in.
    #[serde(borrow)]
    pub(super) cwd: Option<StepText<'a>>,
}

/// An event that counts tokens.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CodexTokenEvent {
    pub(super) info: Option<CodexTokenInfo>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CodexTokenInfo {
    pub(super) last_token_usage: Option<CodexTokens>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_field_names, reason = "the names of the log")]
pub(super) struct CodexTokens {
    pub(super) input_tokens: Option<u64>,
    pub(super) output_tokens: Option<u64>,
    /// Part of the input.
    pub(super) cached_input_tokens: Option<u64>,
}
