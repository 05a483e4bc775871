//! Runs of the service.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Identifies a run of the service. Runs of different projects may have the same name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServiceRunKey {
    /// Name of the project.
    pub project: String,
    /// Name of the run.
    pub run: String,
}

/// The verdict on a run or a step, in a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunVerdict {
    /// Nothing that has to be acted on.
    #[default]
    Clear,
    /// The agent should try something else.
    Warn,
    /// The loop has to be broken.
    Stop,
}

impl RunVerdict {
    /// All verdicts, from the best to the worst.
    pub const ALL: [RunVerdict; 3] = [RunVerdict::Clear, RunVerdict::Warn, RunVerdict::Stop];

    /// Returns the name in the store and in all output.
    pub fn as_str(self) -> &'static str {
        match self {
            RunVerdict::Clear => "clear",
            RunVerdict::Warn => "warn",
            RunVerdict::Stop => "stop",
        }
    }
}

impl FromStr for RunVerdict {
    type Err = UnknownVerdictName;

    fn from_str(name: &str) -> Result<Self, UnknownVerdictName> {
        RunVerdict::ALL.into_iter().find(|verdict| verdict.as_str() == name).ok_or(UnknownVerdictName)
    }
}

/// A text that is not a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown verdict: use clear, warn or stop")]
pub struct UnknownVerdictName;

/// Figures of a run. A writer stores them as a whole with each change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunFigures {
    /// Number of steps.
    pub steps: u64,
    /// Number of the last turn.
    pub turn: u64,
    /// Verdict on the last step.
    pub verdict: RunVerdict,
    /// The worst verdict so far.
    pub worst: RunVerdict,
    /// Number of findings.
    pub findings: u64,
    /// Cost in US dollars.
    pub cost: f64,
    /// Number of input and output tokens.
    pub tokens: u64,
    /// Number of steps that belonged to a loop which was reported at `warn` or worse, then or before.
    pub wasted_steps: u64,
    /// Cost of these steps in US dollars.
    pub wasted_cost: f64,
    /// Tokens of these steps.
    pub wasted_tokens: u64,
    /// Name of the last model.
    pub model: String,
    /// Name of the agent, if the steps name one.
    pub agent: String,
    /// Reason why the guard stopped the run, empty if it did not.
    pub stopped: String,
    /// True if the run is held out, `None` if no runs are held out.
    pub held_out: Option<bool>,
    /// Turn of the first warning.
    pub warned_at: Option<u64>,
}

/// A run of the service.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServiceRun {
    /// Number of the run in the store.
    pub id: i64,
    /// Name of the project.
    pub project: String,
    /// Name of the run.
    pub run: String,
    /// Time of the first step, in milliseconds since 1970.
    pub started: i64,
    /// Time of the last change.
    pub seen: i64,
    /// Sequence number of the last entry, 0 before the first.
    pub last_seq: u64,
    /// Figures of the run.
    pub figures: RunFigures,
    /// Reason why somebody asked to stop the run.
    pub stop_request: Option<String>,
}

/// A question about runs. The run that changed last comes first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunQuery {
    /// Only the runs of this project.
    pub project: Option<String>,
    /// Only runs that were seen at or after this time.
    pub since: Option<i64>,
    /// Only runs whose last verdict is at least this one.
    pub verdict: Option<RunVerdict>,
    /// Only runs whose name contains this text.
    pub text: Option<String>,
    /// Only runs in which this loop was found.
    pub loop_id: Option<String>,
    /// Only runs that come after the one that was last seen at this time and has this number.
    pub after: Option<(i64, i64)>,
    /// Largest number of runs.
    pub limit: usize,
}
