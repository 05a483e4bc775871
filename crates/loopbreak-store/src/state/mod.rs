//! The state of a run between two steps.

mod agent_process;
mod event_memory;
mod hook_state;
mod known_loop;
mod run_state;
mod runner_state;
mod snapshot_json;
mod state_record;
mod stored_guard;
mod task_series;
mod transcript_cost;
mod warned_loop;

pub use agent_process::{AgentPause, AgentProcess};
pub use event_memory::{CallDecision, EventMemory, ProposedCall};
pub use hook_state::{HookState, TranscriptOffset};
pub use known_loop::KnownLoop;
pub use run_state::{RunState, StateError};
pub use runner_state::{AutopilotState, RunnerState};
pub use stored_guard::StoredGuard;
pub use task_series::TaskSeries;
pub use transcript_cost::TranscriptCost;
pub use warned_loop::WarnedLoop;

/// Appends to a list of bounded length. The oldest entry is removed first.
fn push_bounded<T>(list: &mut Vec<T>, entry: T, limit: usize) {
    if list.len() >= limit {
        list.remove(0);
    }
    list.push(entry);
}
