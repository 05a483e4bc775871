//! Tasks that a recovery changes.

use serde::{Deserialize, Serialize};

use crate::name_enum::name_enum;

name_enum! {
    /// The new status of a task.
    "task status" pub enum TaskUpdateStatus {
        /// The agent does not return to the task.
        Done = "done",
        /// The task waits for a human.
        Blocked = "blocked",
    }
}

/// A task whose state has to be changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskUpdate {
    /// Id of the task.
    pub id: String,
    /// Its new status.
    pub status: TaskUpdateStatus,
    /// True if the agent was moved away from it: the task is closed, but its work is not finished.
    pub forced: bool,
    /// The reason, in one sentence without a full stop.
    pub reason: String,
}
