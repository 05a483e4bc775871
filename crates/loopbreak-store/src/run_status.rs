//! Summaries of runs, as `loopbreak status` and the MCP server report them.

use std::collections::BTreeMap;

use loopbreak::step::EpochMillis;
use serde::{Serialize, Serializer};

use crate::run_measures::{LoopMeasures, is_stopped};
use crate::{KnownLoop, Run, RunEndEvent, RunEvent, RunMeasures, RunState, Store, StoreError, StoredAttempt};

/// A run that was not seen for longer is not reported as running. In milliseconds.
pub const LIVE_MS: i64 = 60 * 60 * 1000;
/// A run that did not end and has no events for longer is idle: its agent thinks, waits, or was killed. In milliseconds.
pub const IDLE_MS: i64 = 10 * 60 * 1000;
/// Largest number of runs in a report.
pub(crate) const MAX_RUNS: usize = 1000;
/// Exit codes of the runner if the guard ended the run: a loop, a limit, errors, a human is needed.
const GUARD_CODES: std::ops::RangeInclusive<u8> = 10..=13;

/// Status of a run.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunStatus {
    /// The run.
    #[serde(flatten)]
    pub run: Run,
    /// Times of the run.
    #[serde(flatten)]
    pub times: StatusTimes,
    /// The run has not ended and was seen within the last hour.
    pub running: bool,
    /// Phase of the run.
    pub state: RunPhase,
    /// Reason why the run ended, if it did.
    pub end_reason: Option<String>,
    /// The guard stopped the run, and the user did not resume it.
    pub stopped_by_guard: bool,
    /// The run is held out: it is only observed (`policy.holdout`).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub held_out: bool,
    /// Number of turns.
    pub tick_count: u64,
    /// Measures that Loopbreak took.
    pub measures: RunMeasures,
    /// Loops by their ids, and attempted tasks by theirs.
    pub loop_detection: BTreeMap<String, LoopStatus>,
}

/// Times of a run as RFC 3339.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusTimes {
    /// Time when the run was first seen.
    #[serde(serialize_with = "as_rfc3339")]
    pub started_at: Option<i64>,
    /// Time of the last event.
    #[serde(serialize_with = "as_rfc3339")]
    pub last_event_at: Option<i64>,
    /// Time when the run ended, if its end was reported.
    #[serde(serialize_with = "as_rfc3339")]
    pub ended_at: Option<i64>,
}

/// Phase of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RunPhase {
    /// It has had an event in the last ten minutes.
    Running,
    /// It has not ended, and has had no event for ten minutes.
    Idle,
    /// Its end was reported.
    Ended,
}

/// A loop that was found in a run, or a task that was attempted.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum LoopStatus {
    /// A loop of steps.
    Loop(MeasuredLoop),
    /// A task, which need not loop.
    Task(TaskLoopStatus),
}

/// A loop with the measures against it.
#[derive(Clone, Debug, Serialize)]
pub struct MeasuredLoop {
    /// The loop.
    #[serde(flatten)]
    pub known: KnownLoop,
    /// Measures that Loopbreak took against it, beyond advice.
    #[serde(flatten)]
    pub measures: LoopMeasures,
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

/// Status of several runs. It has the keys of [`RunStatus`] that can be added up, so that a program that reads one run
/// can read the sum.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusSummary {
    /// At least one of the runs is running.
    pub running: bool,
    /// Number of turns in all runs.
    pub tick_count: u64,
    /// Measures that Loopbreak took in all runs.
    pub measures: RunMeasures,
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
        let counts = store.event_counts(&run)?;
        let loops = state.guard.loops.into_iter();
        let mut loop_detection: BTreeMap<String, LoopStatus> = loops
            .map(|known| {
                let measures = LoopMeasures::against(&known.action, &counts);
                (known.id.clone(), LoopStatus::Loop(MeasuredLoop { known, measures }))
            })
            .collect();
        // The attempts at a task are in order: the last one counts.
        for StoredAttempt { task, number, at, status, .. } in store.attempts(&run)? {
            let attempts =
                TaskLoopStatus { attempt_count: number, last_attempt: at, status, pattern: "task" };
            loop_detection.insert(task, LoopStatus::Task(attempts));
        }
        let end = match run.ended {
            Some(_) => store.last_event(&run, "end")?.and_then(|stored| match stored.event {
                RunEvent::End(end) => Some(end),
                _ => None,
            }),
            None => None,
        };
        let ended_by_guard =
            end.as_ref().and_then(|end| end.code).is_some_and(|code| GUARD_CODES.contains(&code));
        let stopped_by_guard = ended_by_guard || is_stopped(&counts);
        let times =
            StatusTimes { started_at: Some(run.started), last_event_at: Some(run.seen), ended_at: run.ended };
        Ok(RunStatus {
            times,
            running: run.ended.is_none() && run.seen >= now.saturating_sub(LIVE_MS),
            state: RunPhase::from_run(&run, now),
            end_reason: run.ended.map(|_| end_reason(end.as_ref(), &run, stopped_by_guard)),
            stopped_by_guard,
            held_out,
            tick_count: state.guard.turn,
            measures: RunMeasures::from_counts(&counts),
            loop_detection,
            run,
        })
    }
}

impl RunPhase {
    /// Returns the phase of a run at a time.
    pub fn from_run(run: &Run, now: i64) -> Self {
        match run.ended {
            Some(_) => RunPhase::Ended,
            None if run.seen < now.saturating_sub(IDLE_MS) => RunPhase::Idle,
            None => RunPhase::Running,
        }
    }
}

/// Returns why a run ended.
fn end_reason(end: Option<&RunEndEvent>, run: &Run, stopped: bool) -> String {
    let end = end.cloned().unwrap_or_default();
    let reported = end.action.or_else(|| end.reason.map(|reason| reason.to_string()));
    match reported {
        Some(reason) => reason,
        None if stopped => "stopped by the guard".to_owned(),
        None if run.agent.is_empty() => "the session ended".to_owned(),
        None => "the subagent finished".to_owned(),
    }
}

#[expect(clippy::ref_option, reason = "serde asks for this signature")]
fn as_rfc3339<S: Serializer>(time: &Option<i64>, serializer: S) -> Result<S::Ok, S::Error> {
    time.and_then(|time| EpochMillis(time).rfc3339()).serialize(serializer)
}

impl StatusSummary {
    /// Reads the status of the runs of the last hour, whether they ended or not, or of all runs.
    pub fn load(
        store: &dyn Store,
        all: bool,
        now: i64,
        warn: &dyn Fn(&str),
    ) -> Result<StatusSummary, StoreError> {
        let since = if all { i64::MIN } else { now.saturating_sub(LIVE_MS) };
        let runs = store.runs(since, MAX_RUNS)?.into_iter();
        let runs: Result<Vec<RunStatus>, StoreError> =
            runs.map(|run| RunStatus::load(store, run, now, warn)).collect();
        Ok(runs?.into())
    }
}

impl From<Vec<RunStatus>> for StatusSummary {
    fn from(runs: Vec<RunStatus>) -> Self {
        let loops = runs.iter().flat_map(|status| status.loop_detection.clone());
        let mut measures = RunMeasures::default();
        for status in &runs {
            measures.add(&status.measures);
        }
        StatusSummary {
            running: runs.iter().any(|status| status.running),
            tick_count: runs.iter().map(|status| status.tick_count).sum(),
            measures,
            loop_detection: loops.collect(),
            runs,
        }
    }
}
