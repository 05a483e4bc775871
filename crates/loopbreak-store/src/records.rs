//! What a run leaves behind beside its events: tasks, attempts at them, entries for the context that agents share, and
//! the ledger of what was done to recover.

use serde::Serialize;
use serde_json::Value;

use crate::tasks::RoadmapTask;

/// A task as it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Task {
    /// Which task.
    pub id: String,
    /// How it stands: `pending`, `in_progress`, `blocked`, `done`.
    pub status: String,
    /// It was moved on from and not finished: nobody must mistake it for done work.
    pub forced: bool,
    /// Why it stands so.
    pub reason: String,
    /// When it was changed, in milliseconds since 1970.
    pub changed: i64,
}

/// One attempt at a task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Attempt {
    /// Which task.
    pub task: String,
    /// Which attempt at it, from 1. Given by the store.
    pub number: u64,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// How the task stood.
    pub status: String,
    /// What stood in its way.
    pub blockers: Vec<String>,
    /// What was done.
    pub work: Vec<String>,
    /// In which session.
    pub session: String,
}

/// An entry for the context that agents share.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ContextEntry {
    /// Its number in this store. Given by the store.
    pub id: i64,
    /// When, in milliseconds since 1970.
    pub timestamp: i64,
    /// What kind of entry: `decision`, `directive`, `escalation`.
    pub entry_type: String,
    /// What about, such as `loop_recovery`.
    pub topic: String,
    /// The text.
    pub content: String,
    /// The tasks it is about.
    pub related_tasks: Vec<String>,
    /// How sure it is, from 0 to 1.
    pub confidence: f64,
    /// The rest.
    pub metadata: Value,
}

/// Something that was done to get a run out of a loop, so that nothing is granted twice.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Recovery {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// At which turn.
    pub turn: u64,
    /// What was done, such as `reject` or `escalate`.
    pub intervention: String,
    /// Against which loop.
    #[serde(rename = "loop")]
    pub loop_id: String,
    /// On which task, if it is about one.
    pub task: Option<String>,
    /// Why.
    pub reason: String,
}

/// All of them that one change brings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Records {
    /// Tasks that stand otherwise now.
    pub tasks: Vec<Task>,
    /// Tasks of the roadmap that are new or stand otherwise now, each as a whole.
    pub roadmap: Vec<RoadmapTask>,
    /// New attempts.
    pub attempts: Vec<Attempt>,
    /// New entries.
    pub context: Vec<ContextEntry>,
    /// What was done.
    pub recoveries: Vec<Recovery>,
}
