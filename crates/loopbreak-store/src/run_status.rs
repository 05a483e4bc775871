//! Summaries of runs, as `loopbreak status` and the MCP server report them.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{KnownLoop, Run, RunState, Store, StoreError, StoredAttempt};

/// A run that was not seen for longer is not reported as running. In milliseconds.
pub const LIVE_MS: i64 = 60 * 60 * 1000;
/// Largest number of runs in a report.
pub(crate) const MAX_RUNS: usize = 1000;

/// Status of a run.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunStatus {
    /// The run.
    #[serde(flatten)]
    pub run: Run,
    /// The run has not ended and was seen within the last hour.
    pub running: bool,
    /// The run is held out: it is only observed (`policy.holdout`).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub held_out: bool,
    /// Number of turns.
    pub tick_count: u64,
    /// Loops by their ids, and attempted tasks by theirs.
    pub loop_detection: BTreeMap<String, LoopStatus>,
}

/// A loop that was found in a run, or a task that was attempted.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum LoopStatus {
    /// A loop of steps.
    Loop(KnownLoop),
    /// A task, which need not loop.
    Task(TaskLoopStatus),
}

/// The attempts at a task.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskLoopStatus {
    /// Number of attempts.
    pub attempt_count: u64,
    /// Time of the last attempt, in milliseconds since 1970.
    pub last_attempt: i64,
    /// Status of the task after the last attempt.
    pub status: String,
    /// Always `task`.
    pub pattern: &'static str,
}

/// Status of several runs. It has the keys of [`RunStatus`], so that a program that reads one run can read
/// the sum.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusSummary {
    /// At least one of the runs is running.
    pub running: bool,
    /// Number of turns in all runs.
    pub tick_count: u64,
    /// Loops and tasks of all runs.
    pub loop_detection: BTreeMap<String, LoopStatus>,
    /// The runs.
    pub runs: Vec<RunStatus>,
}

impl RunStatus {
    /// Reads the status of one run. `warn` is called if its state cannot be read.
    pub fn load(store: &dyn Store, run: Run, now: i64, warn: &dyn Fn(&str)) -> Result<RunStatus, StoreError> {
        let state = RunState::parse(store.state(&run.key())?.as_deref(), warn);
        let held_out = state.guard.holdout == Some(true);
        let loops = state.guard.loops.into_iter();
        let mut loop_detection: BTreeMap<String, LoopStatus> =
            loops.map(|known| (known.id.clone(), LoopStatus::Loop(known))).collect();
        // The attempts at a task are in order: the last one counts.
        for StoredAttempt { task, number, at, status, .. } in store.attempts(&run)? {
            let attempts =
                TaskLoopStatus { attempt_count: number, last_attempt: at, status, pattern: "task" };
            loop_detection.insert(task, LoopStatus::Task(attempts));
        }
        let running = run.ended.is_none() && run.seen >= now.saturating_sub(LIVE_MS);
        Ok(RunStatus { run, running, held_out, tick_count: state.guard.turn, loop_detection })
    }
}

impl StatusSummary {
    /// Reads the status of the runs of the last hour that have not ended, or of all runs.
    pub fn load(
        store: &dyn Store,
        all: bool,
        now: i64,
        warn: &dyn Fn(&str),
    ) -> Result<StatusSummary, StoreError> {
        let since = if all { i64::MIN } else { now.saturating_sub(LIVE_MS) };
        let runs = store.runs(since, MAX_RUNS)?.into_iter().filter(|run| all || run.ended.is_none());
        let runs: Result<Vec<RunStatus>, StoreError> =
            runs.map(|run| RunStatus::load(store, run, now, warn)).collect();
        Ok(runs?.into())
    }
}

impl From<Vec<RunStatus>> for StatusSummary {
    fn from(runs: Vec<RunStatus>) -> Self {
        let loops = runs.iter().flat_map(|status| status.loop_detection.clone());
        StatusSummary {
            running: runs.iter().any(|status| status.running),
            tick_count: runs.iter().map(|status| status.tick_count).sum(),
            loop_detection: loops.collect(),
            runs,
        }
    }
}
