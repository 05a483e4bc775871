//! The state of a run between two steps.

mod guard_state;
mod hook_state;
mod known_loop;
mod run_state;
mod runner_state;
mod state_record;
mod task_series;

pub use guard_state::StoredGuard;
pub use hook_state::{HookState, TranscriptOffset};
pub use known_loop::KnownLoop;
pub use run_state::{RunState, StateError};
pub use runner_state::{AutopilotState, RunnerState};
pub use task_series::TaskSeries;

/// Appends to a list of bounded length. The oldest entry is removed first.
fn push_bounded<T>(list: &mut Vec<T>, entry: T, limit: usize) {
    if list.len() >= limit {
        list.remove(0);
    }
    list.push(entry);
}
