//! Entries that a recovery adds to the shared context of agents.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::name_enum::name_enum;

name_enum! {
    /// The kind of a context entry.
    "entry type" pub enum ContextEntryType {
        /// A record of what was decided.
        Decision = "decision",
        /// An instruction for the agent.
        Directive = "directive",
        /// A question for a human.
        Escalation = "escalation",
    }
}

name_enum! {
    /// The topic of a context entry.
    "topic" pub enum ContextTopic {
        /// The record of a recovery.
        LoopRecovery = "loop_recovery",
        /// The instruction to take another task.
        LoopRecoveryDirective = "loop_recovery_directive",
        /// The permission to remove the blockers of a task.
        UnblockAuthority = "unblock_authority",
        /// A task that a human has to look at.
        LoopEscalation = "loop_escalation",
    }
}

/// An entry for the shared context of agents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContextEntry {
    /// Time in milliseconds, if the steps have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<i64>,
    /// The kind of the entry.
    pub entry_type: ContextEntryType,
    /// The topic of the entry.
    pub topic: ContextTopic,
    /// The text.
    pub content: String,
    /// The tasks that it applies to. It grants and orders nothing for other tasks.
    pub related_tasks: Vec<String>,
    /// Confidence from 0 to 1.
    pub confidence: f64,
    /// The evidence, and for a permission the blockers that it is limited to.
    pub metadata: Value,
}
