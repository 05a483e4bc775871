//! Events about tasks.

use loopbreak::Decision;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::VerdictSummary;

/// An attempt at a task, reported over MCP.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AttemptEvent {
    /// Task and status on one line.
    pub action: String,
    /// Id of the task.
    pub task: String,
    /// Judgement of the task, as `detect_loop` returns it.
    pub check: Map<String, Value>,
    /// Reason why the task is looping, if it is.
    #[serde(flatten)]
    pub verdict: VerdictSummary,
}

/// A recovery that was applied to a task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecoveryEvent {
    /// Task and recovery on one line.
    pub action: String,
    /// Id of the task.
    pub task: String,
    /// The recovery, such as `force_next`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery: Option<String>,
    /// Pattern that was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Events of the engine about the recovery, each with its name under `event_type`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Value>,
    /// Reason for the recovery.
    #[serde(flatten)]
    pub verdict: VerdictSummary,
}

/// A task that the user or the agent changed with `loopbreak tasks`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskEvent {
    /// Task and change on one line.
    pub action: String,
    /// Id of the task.
    pub task: String,
    /// New status.
    pub status: String,
}

/// A recovery that the runner applied after an attempt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskRecoveryNote {
    /// The recovery, such as `force_next`.
    pub intervention: String,
    /// Pattern that was found.
    pub pattern: String,
    /// Ids of the tasks.
    pub task: Option<String>,
    /// Reason for the recovery.
    pub reason: String,
}

impl From<&Decision> for TaskRecoveryNote {
    fn from(decision: &Decision) -> Self {
        TaskRecoveryNote {
            intervention: decision.intervention.as_str().to_owned(),
            pattern: decision.pattern.to_string(),
            task: decision.task.clone(),
            reason: decision.reason.clone(),
        }
    }
}
