//! Snapshots of runs.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{AgentConfig, AgentMemory, AgentRun};
use crate::guard::Guard;
use crate::snapshot::{Snapshot, SnapshotError};

/// The state of a run: the snapshot of its guard, and its memory.
#[derive(Clone, Debug)]
pub struct AgentSnapshot {
    guard: Snapshot,
    memory: AgentMemory,
}

/// A state of a run that cannot be restored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentSnapshotError {
    /// It is not the JSON of a state.
    #[error("cannot read the snapshot of the run: {0}")]
    Json(#[from] serde_json::Error),
    /// The guard cannot be restored.
    #[error(transparent)]
    Guard(#[from] SnapshotError),
}

#[derive(Deserialize)]
struct WrittenState<'s> {
    #[serde(borrow)]
    guard: &'s RawValue,
    #[serde(default)]
    run: AgentMemory,
}

#[derive(Serialize)]
struct StateToWrite<'s> {
    guard: &'s RawValue,
    run: &'s AgentMemory,
}

impl AgentSnapshot {
    /// Returns the snapshot as JSON.
    pub fn to_json(&self) -> serde_json::Result<String> {
        let guard = self.guard.to_json()?;
        serde_json::to_string(&StateToWrite { guard: &guard, run: &self.memory })
    }

    /// Reads a snapshot from JSON.
    pub fn from_json(json: &str) -> serde_json::Result<Self> {
        let WrittenState { guard, run } = serde_json::from_str(json)?;
        Ok(AgentSnapshot { guard: Snapshot::from_json(guard.get().as_bytes())?, memory: run })
    }
}

impl AgentRun {
    /// Returns the state of the run, to be stored.
    pub fn snapshot(&self) -> AgentSnapshot {
        AgentSnapshot { guard: self.guard().snapshot(), memory: self.memory().clone() }
    }

    /// Creates a run that continues where the snapshot was taken.
    pub fn restore(config: AgentConfig, snapshot: AgentSnapshot) -> Result<Self, SnapshotError> {
        let guard = Guard::restore(config.steps().clone(), snapshot.guard)?;
        Ok(AgentRun::from_parts(config, guard, snapshot.memory))
    }
}
