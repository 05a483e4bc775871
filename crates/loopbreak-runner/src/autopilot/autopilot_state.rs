//! What an autopilot keeps beside the tasks themselves, so that a run goes on where it was ended.

use std::collections::BTreeMap;

use loopbreak::{SeriesState, Snapshot};
use serde::{Deserialize, Serialize};

/// What is kept.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct State {
    /// The attempts at all tasks, as the engine keeps them.
    pub(crate) series: SeriesState,
    /// The guard of what goes back and forth between tasks, and the last of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) traffic: Option<Snapshot>,
    pub(crate) sent: Vec<(String, String)>,
    /// What the agent may do for a task: it holds until the task is closed.
    pub(crate) grants: BTreeMap<String, String>,
    /// What the guard has to say of a task, for its next attempt.
    pub(crate) advice: BTreeMap<String, String>,
    /// The tasks that were not to be taken up any more: one that is open when the run goes on was opened meanwhile.
    pub(crate) closed: Vec<String>,
    /// What the agent is told next, whatever the task.
    pub(crate) notes: Vec<String>,
}
