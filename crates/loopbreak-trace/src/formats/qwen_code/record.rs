//! One line of a session, reduced to the keys that matter.

use loopbreak::{
    Usage,
    step::{EpochMillis, HarnessEvent, StepText},
};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::message::ContentPart;
use crate::model_call::ModelCall;

/// A line. Other keys are ignored.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct QwenRecord<'a> {
    #[serde(borrow)]
    pub(super) uuid: Option<StepText<'a>>,
    #[serde(borrow, rename = "sessionId")]
    pub(super) session: Option<StepText<'a>>,
    #[serde(borrow, rename = "type")]
    pub(super) kind: Option<StepText<'a>>,
    #[serde(borrow)]
    pub(super) subtype: Option<StepText<'a>>,
    /// Author of a message of the type `user`.
    #[serde(borrow)]
    pub(super) provenance: Option<StepText<'a>>,
    pub(super) timestamp: Option<EpochMillis>,
    #[serde(borrow)]
    pub(super) message: Option<QwenMessage<'a>>,
    #[serde(borrow)]
    pub(super) model: Option<StepText<'a>>,
    #[serde(rename = "usageMetadata")]
    pub(super) usage: Option<QwenTokens>,
    #[serde(borrow, rename = "toolCallResult")]
    pub(super) result: Option<QwenResult<'a>>,
    #[serde(borrow, rename = "agentId")]
    agent: Option<StepText<'a>>,
    #[serde(rename = "isSidechain")]
    is_sidechain: Option<bool>,
    #[serde(rename = "systemPayload")]
    payload: Option<IgnoredAny>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct QwenMessage<'a> {
    #[serde(borrow)]
    pub(super) parts: Option<Vec<ContentPart<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct QwenResult<'a> {
    #[serde(borrow, rename = "callId")]
    pub(super) call: Option<StepText<'a>>,
    #[serde(borrow)]
    pub(super) status: Option<StepText<'a>>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct QwenTokens {
    #[serde(rename = "promptTokenCount")]
    input: Option<u64>,
    #[serde(rename = "candidatesTokenCount")]
    output: Option<u64>,
    #[serde(rename = "thoughtsTokenCount")]
    thoughts: Option<u64>,
    /// Part of the input.
    #[serde(rename = "cachedContentTokenCount")]
    cached: Option<u64>,
}

/// Reads the usage of a model from one line.
pub(super) fn model_call(line: &str) -> Option<ModelCall> {
    let record: QwenRecord<'_> = serde_json::from_str(line).ok()?;
    let usage = Some(record.usage?.into());
    let (id, model) = (record.uuid.map(|id| id.to_string()), record.model.map(|model| model.to_string()));
    Some(ModelCall { id, model, usage })
}

impl From<QwenTokens> for Usage {
    fn from(tokens: QwenTokens) -> Self {
        Usage {
            input_tokens: tokens.input,
            output_tokens: tokens.output.map(|output| output.saturating_add(tokens.thoughts.unwrap_or(0))),
            cache_read_tokens: tokens.cached,
            ..Usage::default()
        }
    }
}

/// The author of a message of the type `user`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QwenAuthor {
    Human,
    Harness(HarnessEvent),
    /// Somebody whose words do not matter.
    Nobody,
}

impl QwenRecord<'_> {
    /// Returns whether a line has what only Qwen Code writes.
    pub(super) fn is_distinctive(&self) -> bool {
        let has_parts = self.message.as_ref().is_some_and(|message| message.parts.is_some());
        self.uuid.is_some() && (has_parts || self.payload.is_some())
    }

    /// Returns the subagent that wrote the line.
    pub(super) fn agent(&self) -> Option<&str> {
        self.agent.as_deref().filter(|_| self.is_sidechain == Some(true))
    }

    /// Returns the author of a line of the type `user`.
    pub(super) fn author(&self) -> QwenAuthor {
        match (self.subtype.as_deref(), self.provenance.as_deref()) {
            (Some("notification" | "background_task_completed"), _) => {
                QwenAuthor::Harness(HarnessEvent::Notification)
            }
            (Some("cron" | "goal_runtime"), _) | (_, Some("goal_control" | "goal_runtime")) => {
                QwenAuthor::Harness(HarnessEvent::Continuation)
            }
            // The caller of a subagent is not a human.
            _ if self.agent().is_some() => QwenAuthor::Nobody,
            (_, Some("system")) | (Some("agent_launch_prompt" | "agent_bootstrap"), _) => QwenAuthor::Nobody,
            _ => QwenAuthor::Human,
        }
    }
}
