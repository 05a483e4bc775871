//! Events about steps that the guard observed.

use loopbreak::settings::AllowRule;
use loopbreak::{Action, Outcome};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{TaskRecoveryNote, VerdictSummary};
use crate::redact_and_truncate;

/// A step that the guard observed. Each writer fills in what it knows. Texts of the agent are redacted and truncated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StepEvent {
    /// Name of the hook event, if a hook reported the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// The tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The action on one line: the tool and its arguments. The runner writes the outcome of an iteration here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// The action failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<bool>,
    /// Outcome of the action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// Message of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// Message of the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Exit status of the command that the runner started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Id of the task that the runner worked on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Events of the engine about the step, such as `score_change`, each with its name under `event_type`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Value>,
    /// Recoveries of tasks that the runner applied.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recoveries: Vec<TaskRecoveryNote>,
    /// Rule that would allow the refused call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<AllowRule>,
    /// The call was refused.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
    /// Verdict and answer.
    #[serde(flatten)]
    pub verdict: VerdictSummary,
}

impl StepEvent {
    /// Creates an event that a hook reports.
    pub fn from_hook(event: Option<&str>) -> Self {
        StepEvent { event: event.map(str::to_owned), ..StepEvent::default() }
    }

    /// Adds the action.
    #[must_use]
    pub fn with_action(self, action: &Action<'_>) -> Self {
        let tool = Some(redact_and_truncate(&action.name));
        StepEvent { tool, action: Some(redact_and_truncate(&action.line())), ..self }
    }

    /// Adds the outcome.
    #[must_use]
    pub fn with_outcome(self, outcome: &Outcome<'_>) -> Self {
        let text = redact_and_truncate(outcome.text.as_deref().unwrap_or_default());
        StepEvent { error: Some(outcome.is_error()), outcome: Some(text), ..self }
    }

    /// Adds the message of the user.
    #[must_use]
    pub fn with_user(self, text: &str) -> Self {
        StepEvent { user: Some(redact_and_truncate(text)), ..self }
    }

    /// Adds the message of the agent.
    #[must_use]
    pub fn with_said(self, text: &str) -> Self {
        StepEvent { said: Some(redact_and_truncate(text)), ..self }
    }

    /// Adds verdict and answer.
    #[must_use]
    pub fn with_verdict(self, verdict: VerdictSummary) -> Self {
        StepEvent { verdict, ..self }
    }
}

/// A call that the agent's own validation rejected. No hook reports these calls: they are read from the transcript.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::manual_non_exhaustive, reason = "the field is a key in the store that is always null")]
pub struct RejectedEvent {
    // Always `null`, as no hook event reports the call.
    event: (),
    /// The tool.
    pub tool: String,
    /// The call on one line.
    pub action: String,
    /// Always true.
    pub error: bool,
    /// Message of the agent's validation.
    pub outcome: String,
    /// Verdict and answer.
    #[serde(flatten)]
    pub verdict: VerdictSummary,
}

impl RejectedEvent {
    /// Creates the event of a rejected call.
    pub fn new(action: &Action<'_>, outcome: &Outcome<'_>, verdict: VerdictSummary) -> Self {
        RejectedEvent {
            event: (),
            tool: redact_and_truncate(&action.name),
            action: redact_and_truncate(&action.line()),
            error: outcome.is_error(),
            outcome: redact_and_truncate(outcome.text.as_deref().unwrap_or_default()),
            verdict,
        }
    }
}
