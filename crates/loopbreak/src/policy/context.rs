//! What a recovery leaves behind: entries for the agent's shared context, and changes of tasks.

use serde::Serialize;
use serde_json::Value;

/// An entry for the context that agents share.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ContextEntry {
    /// When, where the step says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<i64>,
    /// What kind of entry: `decision`, `directive`, `escalation`.
    pub entry_type: &'static str,
    /// `loop_recovery`, `loop_recovery_directive`, `unblock_authority` or `loop_escalation`.
    pub topic: &'static str,
    /// The text.
    pub content: String,
    /// The tasks it is about: nothing else is granted or ordered.
    pub related_tasks: Vec<String>,
    /// How sure it is, from 0 to 1.
    pub confidence: f64,
    /// The evidence, and for a grant the blockers it is limited to.
    pub metadata: Value,
}

/// A task whose state is to be changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TaskUpdate {
    /// Which task.
    pub id: String,
    /// Its new status.
    pub status: &'static str,
    /// It was moved on from, not finished: nobody must mistake it for done work.
    pub forced: bool,
    /// Why.
    pub reason: String,
}
