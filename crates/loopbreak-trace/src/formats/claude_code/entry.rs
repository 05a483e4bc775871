//! One line of a transcript, reduced to the keys that matter.

use loopbreak::step::{EpochMillis, HarnessEvent, StepText};
use serde::{Deserialize, Deserializer};

use super::user_content::event_of_origin;
use crate::message::MessageContent;

/// A line. Other keys are ignored.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ClaudeEntry<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Option<StepText<'a>>,
    /// In transcripts. Some lines have `session_id` too.
    #[serde(borrow, rename = "sessionId")]
    transcript_session: Option<StepText<'a>>,
    /// In the stream.
    #[serde(borrow, rename = "session_id")]
    stream_session: Option<StepText<'a>>,
    /// Kind of a line of the type `system`.
    #[serde(borrow)]
    pub(super) subtype: Option<StepText<'a>>,
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
    /// The same, in the stream.
    #[serde(rename = "isSynthetic", deserialize_with = "or_default")]
    pub(super) is_synthetic: bool,
    #[serde(borrow, deserialize_with = "or_none")]
    origin: Option<ClaudeOrigin<'a>>,
    #[serde(borrow, rename = "turnOrigin", deserialize_with = "or_none")]
    turn_origin: Option<StepText<'a>>,
    /// Why the call of a result was denied.
    #[serde(borrow, rename = "toolDenialKind", deserialize_with = "or_none")]
    denial_kind: Option<StepText<'a>>,
    #[serde(borrow, rename = "permissionDecision", deserialize_with = "or_none")]
    permission: Option<ClaudePermission<'a>>,
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
    /// The folder that the agent works in.
    #[serde(borrow, deserialize_with = "or_none")]
    pub(super) cwd: Option<StepText<'a>>,
    /// Only in old transcripts.
    #[serde(rename = "costUSD")]
    pub(super) cost: Option<f64>,
    /// Only in the last line of the stream.
    #[serde(rename = "total_cost_usd")]
    pub(super) total_cost: Option<f64>,
}

impl<'a> ClaudeEntry<'a> {
    /// Takes the session that the line belongs to.
    pub(super) fn take_session(&mut self) -> Option<StepText<'a>> {
        self.transcript_session.take().or(self.stream_session.take())
    }

    /// Makes the line part of a session.
    pub(super) fn set_session(&mut self, session: Option<StepText<'a>>) {
        self.transcript_session = session;
    }

    /// Returns the event that caused the line.
    pub(super) fn event(&self) -> Option<HarnessEvent> {
        let origin = self.origin.as_ref().and_then(ClaudeOrigin::event);
        origin.or_else(|| self.turn_origin.as_deref().and_then(event_of_origin))
    }

    /// Takes what the line says about the denial of a call.
    pub(super) fn take_denial(&mut self) -> ClaudeDenial<'a> {
        ClaudeDenial { kind: self.denial_kind.take(), permission: self.permission.take().unwrap_or_default() }
    }

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

/// The kind of a line, without its content.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ClaudeEntryKind<'a> {
    #[serde(borrow, rename = "type", deserialize_with = "or_none")]
    kind: Option<StepText<'a>>,
    #[serde(borrow, deserialize_with = "or_none")]
    subtype: Option<StepText<'a>>,
    #[serde(borrow, deserialize_with = "or_none")]
    attachment: Option<ClaudeOrigin<'a>>,
}

/// Types of lines that are read.
const READ: [&str; 4] = ["assistant", "user", "progress", "result"];

/// Returns whether a line, though it cannot be parsed, has nothing to read: new versions add types of lines, and use the
/// same keys for other things.
pub(super) fn is_ignored(line: &str) -> bool {
    let Ok(entry) = serde_json::from_str::<ClaudeEntryKind<'_>>(line) else { return false };
    let attachment = entry.attachment.and_then(|attachment| attachment.kind);
    match entry.kind.as_deref() {
        None => false,
        Some("attachment") => attachment.is_some_and(|kind| &*kind != "queued_command"),
        Some("system") => entry.subtype.is_some_and(|kind| &*kind != "compact_boundary"),
        Some(kind) => !READ.contains(&kind),
    }
}

/// The author of a message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ClaudeOrigin<'a> {
    #[serde(borrow, alias = "type")]
    kind: Option<StepText<'a>>,
}

impl ClaudeOrigin<'_> {
    /// Returns the event that the origin stands for.
    pub(super) fn event(&self) -> Option<HarnessEvent> {
        self.kind.as_deref().and_then(event_of_origin)
    }
}

/// The decision about a call before it is made.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ClaudePermission<'a> {
    /// `config` if the settings decided.
    #[serde(borrow)]
    pub(super) source: Option<StepText<'a>>,
    /// `hook:PreToolUse` if a hook decided.
    #[serde(borrow, rename = "reasonCode", deserialize_with = "or_none")]
    pub(super) reason_code: Option<StepText<'a>>,
}

/// The denial of a call, as the line of its result states it. Older versions state nothing.
#[derive(Debug, Default)]
pub(super) struct ClaudeDenial<'a> {
    pub(super) kind: Option<StepText<'a>>,
    pub(super) permission: ClaudePermission<'a>,
}

impl ClaudeDenial<'_> {
    /// Returns the kind of the denial, or an empty text.
    pub(super) fn kind(&self) -> &str {
        self.kind.as_deref().unwrap_or_default()
    }

    /// Returns whether the settings decided, and not the user.
    pub(super) fn is_by_config(&self) -> bool {
        self.permission.source.as_deref() == Some("config")
    }

    /// Returns whether a hook decided. A hook may also ask; without anyone to answer, the call is denied.
    pub(super) fn is_by_hook(&self) -> bool {
        self.permission.reason_code.as_deref().is_some_and(|code| code.starts_with("hook:"))
    }
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
    /// The written tokens by the time that the cache keeps them.
    #[serde(rename = "cache_creation", deserialize_with = "or_default")]
    pub(super) written: ClaudeCacheWrites,
}

/// Tokens that were written to a cache for a longer time than usual.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ClaudeCacheWrites {
    #[serde(rename = "ephemeral_1h_input_tokens", deserialize_with = "or_default")]
    pub(super) for_an_hour: u64,
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
    #[serde(borrow, deserialize_with = "or_none")]
    pub(super) origin: Option<ClaudeOrigin<'a>>,
}

/// Reads a value of an unexpected type as `None`: the meaning of these keys is not documented.
fn or_none<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    let raw = <&'de serde_json::value::RawValue>::deserialize(deserializer)?;
    Ok(serde_json::from_str(raw.get()).ok())
}

/// Reads `null` as the default value.
fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
