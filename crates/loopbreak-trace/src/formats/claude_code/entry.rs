//! One line of a transcript, reduced to the keys that matter.

use loopbreak::step::{EpochMillis, StepText};
use serde::{Deserialize, Deserializer};

use crate::message::MessageContent;

/// A line. Other keys are ignored.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ClaudeEntry<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Option<StepText<'a>>,
    /// `sessionId` in transcripts, `session_id` in the stream.
    #[serde(borrow, rename = "sessionId", alias = "session_id")]
    pub(super) session: Option<StepText<'a>>,
    #[serde(borrow, rename = "agentId")]
    pub(super) agent: Option<StepText<'a>>,
    #[serde(borrow)]
    pub(super) uuid: Option<StepText<'a>>,
    #[serde(borrow, rename = "parentUuid")]
    pub(super) parent: Option<StepText<'a>>,
    /// The call that started the subagent of this entry; only in the stream.
    #[serde(borrow, rename = "parent_tool_use_id")]
    pub(super) parent_call: Option<StepText<'a>>,
    #[serde(rename = "isSidechain", deserialize_with = "or_default")]
    pub(super) is_sidechain: bool,
    /// Written by the program, not by the user.
    #[serde(rename = "isMeta", deserialize_with = "or_default")]
    pub(super) is_meta: bool,
    #[serde(rename = "isCompactSummary", deserialize_with = "or_default")]
    pub(super) is_summary: bool,
    #[serde(rename = "isApiErrorMessage", deserialize_with = "or_default")]
    pub(super) is_api_error: bool,
    pub(super) timestamp: Option<EpochMillis>,
    #[serde(borrow)]
    pub(super) message: Option<ClaudeApiMessage<'a>>,
    /// Only in `progress` lines.
    #[serde(borrow)]
    pub(super) data: Option<ClaudeProgress<'a>>,
    /// Only in `attachment` lines.
    #[serde(borrow)]
    pub(super) attachment: Option<ClaudeAttachment<'a>>,
    /// Only in old transcripts.
    #[serde(rename = "costUSD")]
    pub(super) cost: Option<f64>,
    /// Only in the last line of the stream.
    #[serde(rename = "total_cost_usd")]
    pub(super) total_cost: Option<f64>,
}

impl ClaudeEntry<'_> {
    /// Returns whether the line belongs to a transcript, and not to the stream.
    pub(super) fn is_transcript(&self) -> bool {
        self.uuid.is_some() && self.timestamp.is_some()
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ClaudeApiMessage<'a> {
    #[serde(borrow)]
    pub(super) id: Option<StepText<'a>>,
    #[serde(borrow)]
    pub(super) model: Option<StepText<'a>>,
    #[serde(borrow)]
    pub(super) content: MessageContent<'a>,
    pub(super) usage: Option<ClaudeTokens>,
}

/// Usage of a message so far: the lines of one message repeat it, and it grows.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ClaudeTokens {
    #[serde(deserialize_with = "or_default")]
    #[serde(rename = "input_tokens")]
    pub(super) input: u64,
    #[serde(deserialize_with = "or_default")]
    #[serde(rename = "cache_creation_input_tokens")]
    pub(super) cache_written: u64,
    #[serde(deserialize_with = "or_default")]
    #[serde(rename = "cache_read_input_tokens")]
    pub(super) cache_read: u64,
    #[serde(deserialize_with = "or_default")]
    #[serde(rename = "output_tokens")]
    pub(super) output: u64,
}

/// Progress of a call. Only the messages of a subagent matter.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ClaudeProgress<'a> {
    #[serde(borrow, rename = "agentId")]
    pub(super) agent: Option<StepText<'a>>,
    #[serde(borrow)]
    pub(super) message: Option<ProgressMessage<'a>>,
}

/// A line of a subagent inside a line of its caller. Other kinds of progress have a text here.
#[derive(Debug)]
pub(super) enum ProgressMessage<'a> {
    Line(Box<ClaudeEntry<'a>>),
    Other,
}

impl<'de: 'a, 'a> Deserialize<'de> for ProgressMessage<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&'de serde_json::value::RawValue>::deserialize(deserializer)?;
        Ok(match serde_json::from_str(raw.get()) {
            Ok(line) if raw.get().starts_with('{') => ProgressMessage::Line(line),
            _ => ProgressMessage::Other,
        })
    }
}

/// Something that was attached to the conversation.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ClaudeAttachment<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Option<StepText<'a>>,
    #[serde(borrow)]
    pub(super) prompt: MessageContent<'a>,
}

/// Reads `null` as the default value.
fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
