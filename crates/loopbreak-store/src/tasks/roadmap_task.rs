//! Tasks of a roadmap.

use std::str::FromStr;

use loopbreak::text::escaped_len;
use serde::{Deserialize, Serialize};

/// Longest id of a task, in bytes of its JSON form. The engine compares this many.
pub const TASK_ID_BYTES: usize = 64;

/// Returns whether a text can be the id of a task.
pub fn is_task_id(text: &str) -> bool {
    let blank = text.is_empty() || text.trim() != text || text.chars().any(char::is_control);
    !blank && escaped_len(text) <= TASK_ID_BYTES
}

/// Status of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TaskState {
    /// Not started, or reopened.
    #[default]
    Pending,
    /// Started and not finished.
    InProgress,
    /// Blocked.
    Blocked,
    /// Closed: see [`RoadmapTask::is_finished`].
    Done,
}

impl TaskState {
    /// All names.
    pub const NAMES: [&str; 4] = ["pending", "in_progress", "blocked", "done"];

    /// Returns the name in all output.
    pub fn as_str(self) -> &'static str {
        match self {
            TaskState::Pending => "pending",
            TaskState::InProgress => "in_progress",
            TaskState::Blocked => "blocked",
            TaskState::Done => "done",
        }
    }
}

impl FromStr for TaskState {
    type Err = UnknownTaskState;

    /// Reads a status as agents write it.
    fn from_str(name: &str) -> Result<Self, UnknownTaskState> {
        match name.trim().to_ascii_lowercase().replace([' ', '-'], "_").as_str() {
            "pending" | "todo" | "open" => Ok(TaskState::Pending),
            "in_progress" | "working" => Ok(TaskState::InProgress),
            "blocked" => Ok(TaskState::Blocked),
            "done" | "completed" | "complete" => Ok(TaskState::Done),
            _ => Err(UnknownTaskState { name: name.to_owned() }),
        }
    }
}

/// A text that is not a status of a task.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown status {name:?}: use one of {}", TaskState::NAMES.join(", "))]
pub struct UnknownTaskState {
    name: String,
}

/// Escalation of a task to a human.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TaskEscalation {
    /// Not escalated.
    #[default]
    None,
    /// Escalated. The task is attempted again only if no other task can be.
    Called,
    /// Escalated, and only a human can help. The task is not attempted again.
    Left,
}

impl TaskEscalation {
    /// Returns the name in the store and in all output.
    pub fn as_str(self) -> &'static str {
        match self {
            TaskEscalation::None => "none",
            TaskEscalation::Called => "called",
            TaskEscalation::Left => "left",
        }
    }

    /// Reads the name in the store.
    pub(crate) fn from_column(name: &str) -> Self {
        match name {
            "called" => TaskEscalation::Called,
            "left" => TaskEscalation::Left,
            _ => TaskEscalation::None,
        }
    }
}

/// A task of a roadmap: its description and its status.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RoadmapTask {
    /// Id of the task.
    pub id: String,
    /// Title, on one line.
    pub title: String,
    /// Description of the work.
    pub details: String,
    /// Ids of the tasks that have to be finished first.
    pub after: Vec<String>,
    /// Position in the roadmap. The task with the lowest one comes first.
    pub position: u64,
    /// Command that checks the work, empty if there is none.
    pub check: String,
    /// Status.
    pub status: TaskState,
    /// The agent was moved on from the task. It is never attempted again, and it is not finished.
    pub forced: bool,
    /// The task was finished. A later recovery does not change that.
    pub finished: bool,
    /// Another task sent it back, so it comes first.
    pub returned: bool,
    /// Escalation to a human.
    pub escalation: TaskEscalation,
    /// Blockers of the task.
    pub blockers: Vec<String>,
    /// Checks that were deferred because their checker is not available.
    pub deferred: Vec<String>,
    /// Reason for the status.
    pub reason: String,
    /// Time of the last change, in milliseconds since 1970.
    pub changed: i64,
}

impl RoadmapTask {
    /// Returns whether the tasks that depend on it can start. A task that was only forced is closed and not finished.
    pub fn is_finished(&self) -> bool {
        self.status == TaskState::Done && (self.finished || !self.forced)
    }

    /// Returns whether the task may be attempted once its dependencies are finished.
    pub fn is_open(&self) -> bool {
        self.status != TaskState::Done && !self.forced && self.escalation != TaskEscalation::Left
    }

    /// Returns the status for people: the status, or a more important state such as `forced` or `escalated`.
    pub fn label(&self) -> &'static str {
        match (self.forced, self.escalation, self.status) {
            (true, ..) => "forced",
            (_, TaskEscalation::Called | TaskEscalation::Left, status) if status != TaskState::Done => {
                "escalated"
            }
            (.., TaskState::Done) if !self.deferred.is_empty() => "done, check deferred",
            (.., status) => status.as_str(),
        }
    }

    /// Marks the task as finished.
    pub fn finish(&mut self, reason: &str, now: i64) {
        (self.status, self.finished, self.forced) = (TaskState::Done, true, false);
        (self.returned, self.escalation) = (false, TaskEscalation::None);
        self.blockers.clear();
        self.set_reason(reason, now);
    }

    /// Reopens the task and clears the effect of earlier recoveries.
    pub fn reopen(&mut self, reason: &str, now: i64) {
        (self.status, self.finished, self.forced) = (TaskState::Pending, false, false);
        self.escalation = TaskEscalation::None;
        self.blockers.clear();
        self.set_reason(reason, now);
    }

    /// Marks the task as blocked.
    pub fn block(&mut self, blockers: Vec<String>, now: i64) {
        (self.status, self.blockers, self.changed) = (TaskState::Blocked, blockers, now);
    }

    pub(crate) fn set_reason(&mut self, reason: &str, now: i64) {
        reason.clone_into(&mut self.reason);
        self.changed = now;
    }
}
