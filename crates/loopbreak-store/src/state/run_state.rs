//! The state of a run.

use loopbreak::agent::AgentMemory;
use loopbreak::snapshot::SnapshotError;

use super::state_record::StateRecord;
use super::{AgentPause, AgentProcess, HookState, RunnerState, StoredGuard, TaskSeries};

/// The state of a run between two steps. Each adapter uses the parts it needs and keeps the others.
#[derive(Clone, Debug, Default)]
pub struct RunState {
    /// The guard, and the loops that it found.
    pub guard: StoredGuard,
    /// State of the hooks: advice, refusals, the calls they saw.
    pub hook: HookState,
    /// State of the runner, in the runs that it started.
    pub runner: Option<RunnerState>,
    /// The attempts at tasks that were reported over MCP.
    pub series: TaskSeries,
    /// Memory of a run whose calls pass the guard in the process of the agent itself.
    pub agent: Option<AgentMemory>,
    /// The process of the agent, if it is known.
    pub process: Option<AgentProcess>,
    /// The pause of the agent, if it is paused.
    pub pause: Option<AgentPause>,
}

/// A state that cannot be restored or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The guard cannot be restored.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// The state cannot be written.
    #[error("cannot write the state of the run: {0}")]
    Json(#[from] serde_json::Error),
}

impl RunState {
    /// Reads the state of a run. A new run has the default state. If the state cannot be read, `warn` is
    /// called with a message, and the default state is returned.
    pub fn parse(json: Option<&str>, warn: impl FnOnce(&str)) -> Self {
        let Some(json) = json else { return RunState::default() };
        match serde_json::from_str::<StateRecord>(json) {
            Ok(record) => record.into(),
            Err(error) => {
                warn(&format!("cannot read the state of this run, so it starts over: {error}"));
                RunState::default()
            }
        }
    }

    /// Returns the state as JSON.
    pub fn into_json(self) -> Result<String, StateError> {
        Ok(serde_json::to_string(&StateRecord::from(self))?)
    }
}
