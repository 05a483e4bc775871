//! Summaries of runs, as `loopbreak status` and the MCP server report them.

use std::collections::BTreeMap;

use loopbreak::step::EpochMillis;
use serde::{Serialize, Serializer};

use crate::run_measures::{LoopMeasures, is_stopped};
use crate::{
    AgentPause, AgentProcess, EventCount, KnownLoop, Run, RunEndEvent, RunEvent, RunMeasures, RunState,
    Store, StoreError, StoredAttempt,
};

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
    /// The pause of the agent, if it is paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<AgentPause>,
    /// The process of the agent, if it is known.
    #[serde(skip)]
    pub process: Option<AgentProcess>,
    /// Number of turns, and of attempts at tasks that were reported by themselves.
    pub tick_count: u64,
    /// Number of loops that were found: of steps, and of tasks.
    pub loop_count: u64,
    /// Number of recoveries of tasks.
    pub recovery_count: u64,
    /// Measures that Loopbreak took.
    pub measures: RunMeasures,
    /// Loops by their ids, and attempted tasks by theirs.
    pub loop_detection: BTreeMap<String, LoopStatus>,
    /// Only the loops, by their ids.
    pub loops: BTreeMap<String, MeasuredLoop>,
    /// Only the attempted tasks, by their ids.
    pub tasks: BTreeMap<String, TaskLoopStatus>,
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
    /// Kind of the last loop that was found, if the attempts ever looped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loop_type: Option<String>,
    /// The last recovery of the task, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery: Option<String>,
    /// The run, in a summary of several runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
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
    /// Number of turns in all runs, and of attempts at tasks that were reported by themselves.
    pub tick_count: u64,
    /// Number of loops that were found: of steps, and of tasks.
    pub loop_count: u64,
    /// Number of recoveries of tasks.
    pub recovery_count: u64,
    /// Measures that Loopbreak took in all runs.
    pub measures: RunMeasures,
    /// Loops and tasks of all runs.
    pub loop_detection: BTreeMap<String, LoopStatus>,
    /// Only the loops of all runs, by their ids.
    pub loops: BTreeMap<String, MeasuredLoop>,
    /// Only the attempted tasks of all runs, by their ids. If several runs have a task with the same id, that of the
    /// latest run has the id as its key, and the others have `run/id`.
    pub tasks: BTreeMap<String, TaskLoopStatus>,
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
        let loops: BTreeMap<String, MeasuredLoop> = loops
            .map(|known| {
                let measures = LoopMeasures::against(&known.action, &counts);
                (known.id.clone(), MeasuredLoop { known, measures })
            })
            .collect();
        let (tasks, recovery_count) = task_statuses(store, &run, &counts)?;
        // The loop of a task is counted with the task.
        let step_loops =
            loops.values().filter(|measured| tasks.is_empty() || measured.known.detector != "task");
        let task_loops = tasks.values().filter(|task| task.loop_type.is_some() || task.recovery.is_some());
        let loop_count = (step_loops.count() + task_loops.count()) as u64;
        let attempts = counts.iter().filter(|event| event.kind == "attempt").map(|event| event.count);
        let attempts: u64 = attempts.sum();
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
            paused: state.pause,
            process: state.process,
            tick_count: state.guard.turn.saturating_add(attempts),
            loop_count,
            recovery_count,
            measures: RunMeasures::from_counts(&counts),
            loop_detection: merge_maps(&loops, &tasks),
            loops,
            tasks,
            run,
        })
    }
}

/// Returns the attempted tasks of a run, and the number of recoveries.
fn task_statuses(
    store: &dyn Store,
    run: &Run,
    counts: &[EventCount],
) -> Result<(BTreeMap<String, TaskLoopStatus>, u64), StoreError> {
    let mut tasks: BTreeMap<String, TaskLoopStatus> = BTreeMap::new();
    // The attempts at a task are in order: the last one counts.
    for StoredAttempt { task, number, at, status, .. } in store.attempts(run)? {
        let (loop_type, recovery) = (None, None);
        let attempts = TaskLoopStatus {
            attempt_count: number,
            last_attempt: at,
            status,
            loop_type,
            recovery,
            run: None,
            pattern: "task",
        };
        tasks.insert(task, attempts);
    }
    if tasks.is_empty() {
        return Ok((tasks, 0));
    }
    // Only runs with a looping attempt pay for reading their events.
    if counts.iter().any(|event| event.kind == "attempt" && event.answer.is_some()) {
        for stored in store.events(run)? {
            let RunEvent::Attempt(attempt) = stored.event else { continue };
            let loop_type = attempt.check.get("loopType").and_then(|name| name.as_str());
            if let (Some(task), Some(name)) = (tasks.get_mut(&attempt.task), loop_type) {
                task.loop_type = Some(name.to_owned());
            }
        }
    }
    let mut recovery_count = 0;
    for recovery in store.recoveries(run)? {
        // A recovery of a cycle names all its tasks.
        let names = recovery.task.as_deref().map(|names| names.split(", ")).into_iter().flatten();
        recovery_count += u64::from(recovery.task.is_some());
        for name in names {
            if let Some(task) = tasks.get_mut(name) {
                task.recovery = Some(recovery.intervention.clone());
            }
        }
    }
    Ok((tasks, recovery_count))
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
        StatusSummary::load_visible(store, all, now, warn, &|_| true)
    }

    /// Does the same for the runs that a reader may see.
    pub fn load_visible(
        store: &dyn Store,
        all: bool,
        now: i64,
        warn: &dyn Fn(&str),
        is_visible: &dyn Fn(&Run) -> bool,
    ) -> Result<StatusSummary, StoreError> {
        let since = if all { i64::MIN } else { now.saturating_sub(LIVE_MS) };
        let runs = store.runs(since, MAX_RUNS)?.into_iter().filter(|run| is_visible(run));
        let runs: Result<Vec<RunStatus>, StoreError> =
            runs.map(|run| RunStatus::load(store, run, now, warn)).collect();
        Ok(runs?.into())
    }
}

impl From<Vec<RunStatus>> for StatusSummary {
    fn from(runs: Vec<RunStatus>) -> Self {
        let loops = runs.iter().flat_map(|status| status.loops.clone()).collect();
        let tasks = merge_tasks(&runs);
        let mut measures = RunMeasures::default();
        for status in &runs {
            measures.add(&status.measures);
        }
        StatusSummary {
            running: runs.iter().any(|status| status.running),
            tick_count: runs.iter().map(|status| status.tick_count).sum(),
            loop_count: runs.iter().map(|status| status.loop_count).sum(),
            recovery_count: runs.iter().map(|status| status.recovery_count).sum(),
            measures,
            loop_detection: merge_maps(&loops, &tasks),
            loops,
            tasks,
            runs,
        }
    }
}

/// Returns loops and tasks in one map.
fn merge_maps(
    loops: &BTreeMap<String, MeasuredLoop>,
    tasks: &BTreeMap<String, TaskLoopStatus>,
) -> BTreeMap<String, LoopStatus> {
    let loops = loops.iter().map(|(id, measured)| (id.clone(), LoopStatus::Loop(measured.clone())));
    loops.chain(tasks.iter().map(|(id, task)| (id.clone(), LoopStatus::Task(task.clone())))).collect()
}

/// Merges the tasks of several runs, the latest of which comes first.
fn merge_tasks(runs: &[RunStatus]) -> BTreeMap<String, TaskLoopStatus> {
    let mut merged = BTreeMap::new();
    for status in runs {
        let Run { source, session, .. } = &status.run;
        for (id, task) in &status.tasks {
            let longest = format!("{source}/{session}/{id}");
            let keys = [id.clone(), format!("{session}/{id}")];
            let key = keys.into_iter().find(|key| !merged.contains_key(key)).unwrap_or(longest);
            merged.insert(key, TaskLoopStatus { run: Some(session.clone()), ..task.clone() });
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AttemptEvent, RunChange, RunKey, RunRecords, StoredRecovery, VerdictSummary, open};

    /// Records attempts at a task, the last of which loops and is recovered.
    fn attempt(store: &mut dyn Store, session: &str, task: &str, at: i64) {
        let key = RunKey { source: "mcp".to_owned(), session: session.to_owned(), agent: String::new() };
        for number in 1..=3 {
            let mut event = AttemptEvent { task: task.to_owned(), ..AttemptEvent::default() };
            let mut records = RunRecords {
                attempts: vec![StoredAttempt { task: task.to_owned(), at, ..StoredAttempt::default() }],
                ..RunRecords::default()
            };
            if number == 3 {
                event.check.insert("loopType".to_owned(), "blocked_task_spin".into());
                event.verdict = VerdictSummary::default().with_answer("loop", "why");
                let intervention = "unblock_authority".to_owned();
                let task = Some(task.to_owned());
                records.recoveries = vec![StoredRecovery { intervention, task, ..StoredRecovery::default() }];
            }
            let transaction = store.begin(&key, "", at).unwrap();
            transaction.commit(RunChange { records, ..RunEvent::Attempt(event).into() }).unwrap();
        }
    }

    /// An orchestrator that only reports attempts has ticks, loops and recoveries.
    #[test]
    fn loops_and_recoveries_of_tasks_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = open(&folder.path().join("x.db").into()).unwrap();
        attempt(&mut *store, "job", "T1", 5);
        attempt(&mut *store, "job", "T2", 6);
        let summary = StatusSummary::load(&*store, true, 10, &|_| {}).unwrap();
        assert_eq!((summary.tick_count, summary.loop_count, summary.recovery_count), (6, 2, 2));
        let json = serde_json::to_value(&summary).unwrap();
        assert_eq!(json["tasks"].as_object().unwrap().keys().collect::<Vec<_>>(), ["T1", "T2"]);
        let task = &json["loopDetection"]["T2"];
        assert_eq!((&task["attemptCount"], &task["lastAttempt"]), (&3.into(), &6.into()));
        assert_eq!(
            (&task["loopType"], &task["recovery"]),
            (&"blocked_task_spin".into(), &"unblock_authority".into())
        );
    }

    #[test]
    fn tasks_with_the_same_id_in_two_runs_do_not_hide_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = open(&folder.path().join("x.db").into()).unwrap();
        for (session, at) in [("one", 5), ("two", 6)] {
            attempt(&mut *store, session, "T1", at);
        }
        let json = serde_json::to_value(StatusSummary::load(&*store, true, 10, &|_| {}).unwrap()).unwrap();
        assert_eq!(json["loopDetection"], json["tasks"], "there are no other loops");
        let tasks = json["tasks"].as_object().unwrap();
        assert_eq!(tasks.keys().collect::<Vec<_>>(), ["T1", "one/T1"], "the latest run has the plain id");
        assert_eq!((&tasks["T1"]["run"], &tasks["one/T1"]["run"]), (&"two".into(), &"one".into()));
        assert_eq!(json["runs"][1]["loopDetection"].as_object().unwrap().keys().collect::<Vec<_>>(), ["T1"]);
    }
}
