//! The log of a run, written by hooks, the MCP server, the runner and the commands.
//!
//! Every event is one JSON object. Its key `kind` is a column of the events table; the other keys are the
//! JSON in the column `detail`.

mod connection_end;
mod run_event;
mod step_event;
mod task_events;
mod verdict_summary;

pub use connection_end::ConnectionEnd;
pub use run_event::{
    AllowedEvent, BackoffEvent, IdleEvent, NoteEvent, RunEndEvent, RunEvent, StoredEvent, TurnEndEvent,
    UnknownEvent,
};
pub use step_event::{RejectedEvent, StepEvent};
pub use task_events::{AttemptEvent, RecoveryEvent, TaskEvent, TaskRecoveryNote};
pub use verdict_summary::VerdictSummary;
