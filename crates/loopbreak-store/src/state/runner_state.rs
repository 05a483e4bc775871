//! The part of a run's state that the runner uses.

use std::collections::BTreeMap;

use loopbreak::series::SeriesState;
use serde::{Deserialize, Serialize};

/// The part of a run's state that the runner uses, so that `--resume` can continue the run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RunnerState {
    /// Hash of the command. The command itself may hold secrets.
    pub command: String,
    /// Hash of the prompt.
    pub prompt: String,
    /// Time when the run began, in milliseconds since 1970.
    pub started: i64,
    /// Time during which the run was not running, in milliseconds. It does not count as run time.
    pub paused: i64,
    /// Time when this state was written.
    pub at: i64,
    /// Last iterations, one line each.
    pub history: Vec<String>,
    /// Advice for the next iteration.
    pub advice: Option<String>,
    /// Rungs of loops that the advisor was asked about.
    pub asked: Vec<String>,
    /// Number of the iteration that is under way. A runner that was killed leaves it behind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub under_way: Option<u64>,
    /// Cost of all iterations so far in US dollars, if the command reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// State of the autopilot, in runs with a roadmap.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub autopilot: Option<AutopilotState>,
}

/// State of the autopilot in addition to the tasks.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AutopilotState {
    /// Attempts at all tasks, and the send-backs between them.
    pub series: SeriesState,
    /// Authority granted per task. It holds until the task is closed.
    pub grants: BTreeMap<String, String>,
    /// Advice per task, for its next attempt.
    pub advice: BTreeMap<String, String>,
    /// Tasks that were closed. One that is open when the run resumes was reopened by hand.
    pub closed: Vec<String>,
    /// Notes for the next attempt at any task.
    pub notes: Vec<String>,
}

impl RunnerState {
    /// Reads the runner's part of a state and skips the rest. Returns `None` if there is none.
    pub fn from_state_json(json: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct RunnerOnly {
            runner: RunnerState,
        }
        serde_json::from_str::<RunnerOnly>(json).ok().map(|state| state.runner)
    }
}
