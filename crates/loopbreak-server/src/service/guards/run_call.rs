//! Calls about a run other than steps.

use loopbreak::Proposal;
use loopbreak_store::service::EntryKind;
use serde::Serialize;

use crate::mcp::protocol::ToolError;
use crate::mcp::tools::{AttemptInput, PlanInput};

/// A call about a run other than a step.
#[derive(Debug)]
pub(crate) enum RunCall {
    /// Weighs an action.
    Weigh(Box<Proposal<'static>>),
    /// Asks whether the run or a task loops.
    DetectLoop(Option<String>),
    /// Asks for tasks.
    TaskStatus {
        /// Only this task.
        task: Option<String>,
        /// Number of tasks to leave out.
        offset: usize,
    },
    /// Records an attempt at a task.
    Attempt(Box<AttemptInput>),
    /// Adds tasks and asks for the next one.
    Plan(PlanInput),
    /// Applies the recommended recovery to a task.
    Recover(String),
}

/// The answer to a call, as JSON.
pub(crate) type RunCallAnswer = Result<String, ToolError>;

impl RunCall {
    /// Returns the kind of entry that the call adds to the run, `None` if it changes nothing.
    pub(crate) fn entry_kind(&self) -> Option<EntryKind> {
        match self {
            RunCall::Attempt(_) => Some(EntryKind::Attempt),
            RunCall::Recover(_) => Some(EntryKind::Recovery),
            RunCall::Plan(input) if !input.tasks.is_empty() => Some(EntryKind::Plan),
            _ => None,
        }
    }
}

/// Writes an answer as JSON.
pub(super) fn write_answer(output: &impl Serialize) -> RunCallAnswer {
    serde_json::to_string(output).map_err(|error| ToolError::new(error.to_string(), "Nothing was recorded"))
}
