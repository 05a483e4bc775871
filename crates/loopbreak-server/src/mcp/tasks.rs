//! `record_attempt`, `detect_loop` and `task_status`: attempts at tasks are told to the series of the run, and it is asked.

use std::collections::BTreeMap;

use loopbreak::Series;
use loopbreak_store::tasks::{
    ReportEffect, RoadmapTask, TaskEscalation, TaskReport, TaskState, apply_report, unfinished_dependencies,
};
use loopbreak_store::{
    AttemptEvent, KnownLoop, Run, RunEvent, RunState, StoredAttempt, VerdictSummary, now, redact_and_truncate,
};
use serde_json::{Value, json};

use super::fault::Fault;
use super::input::{AttemptInput, TaskInput};
use super::output::{AttemptOutput, LoopOutput, TaskOutput, TasksOutput};
use super::place::{About, Course, Place};
use super::{limits, steps, verdicts};

/// A loop that was not sighted for so many turns was left: as many different steps close a breaker.
const LEFT_AFTER: u64 = 3;
/// Times that differ so much from ours, in milliseconds, are those of another clock.
const ANOTHER_CLOCK_MS: u64 = 60 * 1000;
/// How many blockers and pieces of work of an attempt are kept to be shown.
const KEPT: usize = 50;
/// How many tasks are named to whoever asks for one that is not there.
const NAMED: usize = 10;

/// What came of recording an attempt.
pub(crate) struct Made {
    pub(crate) check: LoopOutput,
    effect: ReportEffect,
    task: RoadmapTask,
}

impl Place {
    /// Records an attempt at a task, and says whether the task goes round in circles.
    pub(crate) fn record_attempt(&mut self, run: &str, input: &AttemptInput) -> Result<AttemptOutput, Fault> {
        limits::task(&input.task_id)?;
        limits::name("status", &input.status)?;
        let attempt = TaskInput {
            id: input.task_id.trim().to_owned(),
            status: Some(input.status.clone()),
            blockers: input.blockers.clone(),
            work: input.completed_work.clone(),
            session: input.session_id.clone(),
        };
        let (made, tasks) = self.change(run, About::Tasks, |course| {
            let made = record(course, run, &attempt, input.timestamp.as_ref())?;
            let made = made.ok_or_else(|| {
                Fault::new(
                    "attempts are not judged here",
                    "The detector `task` is switched off in the settings",
                )
            })?;
            let reason = made.check.reason.clone();
            let verdict = reason.map(|reason| VerdictSummary::default().with_answer("loop", reason));
            course.write(RunEvent::Attempt(AttemptEvent {
                action: redact_and_truncate(&format!("task {}: {}", attempt.id, made.effect.status.as_str())),
                task: attempt.id.clone(),
                check: verdicts::object(serde_json::to_value(&made.check).unwrap_or_default()),
                verdict: verdict.unwrap_or_default(),
            }));
            Ok((made, std::mem::take(&mut course.tasks)))
        })?;
        let known = self.find_ours(run)?;
        let counts = self.count(&known, &made.task.id)?;
        Ok(AttemptOutput {
            run: run.to_owned(),
            task: told(&made.task, &tasks, &counts),
            check: made.check,
            deferred: made.effect.deferred,
        })
    }

    /// Says whether a task, or a run, goes round in circles. Changes nothing.
    pub(crate) fn detect_loop(&self, name: &str, task: Option<&str>) -> Result<LoopOutput, Fault> {
        let Some(id) = task else {
            let run = self.find(name)?;
            return self.detect_in(&run);
        };
        let run = self.find_ours(name)?;
        let id = limits::task(id)?;
        let mut state = self.state(&run)?;
        let at = asked_at(&state, now());
        let series = state.series.restore(self.config.clone());
        self.known(&run, id, &series)?;
        Ok(verdicts::task(&run.session, id, series.check(id, at)))
    }

    /// The gravest loop that the run is in: of its steps, or else of its tasks.
    fn detect_in(&self, run: &Run) -> Result<LoopOutput, Fault> {
        let mut state = self.state(run)?;
        let turn = state.guard.turn;
        let current =
            |seen: &&KnownLoop| seen.severity != "hint" && turn.saturating_sub(seen.turn) < LEFT_AFTER;
        let gravest = state
            .guard
            .loops
            .iter()
            .filter(current)
            .max_by_key(|seen| (seen.severity == "hard", seen.attempt_count));
        if let Some(seen) = gravest {
            let evidence = verdicts::object(serde_json::to_value(seen).unwrap_or_default());
            let or_severity =
                |text: &str| if text.is_empty() { seen.severity.clone() } else { text.to_owned() };
            let reason = if seen.reason.is_empty() {
                format!("{} {} times since turn {}", seen.pattern, seen.attempt_count, seen.since)
            } else {
                seen.reason.clone()
            };
            return Ok(LoopOutput {
                run: run.session.clone(),
                is_looping: true,
                loop_type: Some(seen.pattern.clone()),
                attempt_count: seen.attempt_count,
                recommendation: Some(or_severity(&seen.intervention)),
                reason: Some(reason),
                evidence,
                ..LoopOutput::default()
            });
        }
        let at = asked_at(&state, now());
        let series = state.series.restore(self.config.clone());
        let looping = series.status().into_keys().map(|id| {
            let check = series.check(&id, at);
            verdicts::task(&run.session, &id, check)
        });
        let gravest = looping.filter(|check| check.is_looping).max_by_key(|check| check.attempt_count);
        Ok(gravest.unwrap_or_else(|| LoopOutput { run: run.session.clone(), ..LoopOutput::default() }))
    }

    /// How the tasks of a run stand.
    pub(crate) fn task_status(&self, name: &str, task: Option<&str>) -> Result<TasksOutput, Fault> {
        let run = self.find_roadmap(name)?;
        let (tasks, counts) = (self.store.roadmap(&run)?, self.counts(&run)?);
        let told: Vec<TaskOutput> = tasks
            .iter()
            .filter(|known| task.is_none_or(|id| known.id == id.trim()))
            .map(|known| self::told(known, &tasks, &counts))
            .collect();
        match task {
            Some(id) if told.is_empty() => Err(unknown(&run.session, id, &tasks)),
            _ => Ok(TasksOutput { run: run.session, tasks: told }),
        }
    }

    /// A task of the roadmap, or one that was attempted.
    pub(crate) fn known(&self, run: &Run, id: &str, series: &Series) -> Result<(), Fault> {
        let tasks = self.store.roadmap(run)?;
        if tasks.iter().any(|task| task.id == id) || series.status().contains_key(id) {
            return Ok(());
        }
        Err(unknown(&run.session, id, &tasks))
    }

    /// The same of one task.
    pub(crate) fn count(&self, run: &Run, task: &str) -> Result<BTreeMap<String, (u64, i64)>, Fault> {
        let last = self.store.last_attempt(run, task)?;
        Ok(last.map(|last| (task.to_owned(), last)).into_iter().collect())
    }

    /// How many attempts at each task of a run there were, and when the last one was.
    pub(crate) fn counts(&self, run: &Run) -> Result<BTreeMap<String, (u64, i64)>, Fault> {
        let attempts = self.store.attempts(run)?.into_iter();
        Ok(attempts.map(|attempt| (attempt.task, (attempt.number, attempt.at))).collect())
    }
}

/// Records an attempt in the roadmap and in the series. Nothing where the series does not judge attempts.
pub(crate) fn record(
    course: &mut Course,
    run: &str,
    attempt: &TaskInput,
    at: Option<&Value>,
) -> Result<Option<Made>, Fault> {
    let tasks = &mut course.tasks;
    let id = limits::task(&attempt.id)?;
    if !tasks.iter().any(|task| task.id == id) {
        let position = tasks.iter().map(|task| task.position).max().map_or(0, |last| last.saturating_add(1));
        tasks.push(RoadmapTask { id: id.to_owned(), position, ..RoadmapTask::default() });
    }
    // Left to a human, and here it is done: so one has helped.
    let done = attempt.status.as_deref().and_then(|status| status.parse().ok()) == Some(TaskState::Done);
    for task in
        tasks.iter_mut().filter(|task| done && task.id == id && task.escalation == TaskEscalation::Left)
    {
        task.escalation = TaskEscalation::Called;
    }
    let closed = tasks.iter().any(|task| task.id == id && !task.is_open());
    let status = attempt.status.as_deref();
    let report = TaskReport {
        task: id.to_owned(),
        status: status.and_then(|status| status.parse().ok()),
        blockers: attempt.blockers.clone(),
        work: attempt.work.clone(),
        ..TaskReport::default()
    };
    let Some(effect) = apply_report(tasks, &report, course.now) else { return Ok(None) };
    // A word that we do not know is compared as it stands.
    let stood = status.filter(|_| !closed && report.status.is_none()).unwrap_or(effect.status.as_str());
    let text = json!({
        "at": at.cloned().unwrap_or_else(|| course.now.into()),
        "task": {"id": id, "status": stood, "blockers": attempt.blockers, "work": attempt.work,
                 "session": attempt.session},
    })
    .to_string();
    let step = steps::read(&text)?;
    if !course.series.record(&step) {
        return Ok(None);
    }
    course.attempted();
    let at = step.at.map_or(course.now, |at| at.0);
    course.state.series.foreign_clock |= at.abs_diff(course.now) > ANOTHER_CLOCK_MS;
    let short = |list: &[String]| list.iter().take(KEPT).map(|text| redact_and_truncate(text)).collect();
    course.records.attempts.push(StoredAttempt {
        task: id.to_owned(),
        number: 0,
        at,
        status: redact_and_truncate(stood),
        blockers: short(&attempt.blockers),
        work: short(&attempt.work),
        session: redact_and_truncate(attempt.session.as_deref().unwrap_or_default()),
    });
    let Some(task) = course.tasks.iter_mut().find(|task| task.id == id) else { return Ok(None) };
    task.blockers = short(&task.blockers);
    course.records.roadmap.push(task.clone());
    let check = course.series.check(id, asked_at(&course.state, course.now));
    Ok(Some(Made { check: verdicts::task(run, id, check), effect, task: task.clone() }))
}

/// The time by which attempts are judged: ours, unless they come with times of another clock.
pub(crate) fn asked_at(state: &RunState, now: i64) -> Option<i64> {
    (!state.series.foreign_clock).then_some(now)
}

/// A task as it is told.
pub(crate) fn told(
    task: &RoadmapTask,
    tasks: &[RoadmapTask],
    counts: &BTreeMap<String, (u64, i64)>,
) -> TaskOutput {
    let count = counts.get(&task.id);
    TaskOutput {
        id: task.id.clone(),
        title: task.title.clone(),
        details: task.details.clone(),
        status: task.status.as_str().to_owned(),
        standing: task.label().to_owned(),
        forced: task.forced,
        blockers: task.blockers.clone(),
        waits_for: unfinished_dependencies(task, tasks).into_iter().map(str::to_owned).collect(),
        reason: task.reason.clone(),
        attempt_count: count.map_or(0, |(number, _)| *number),
        last_attempt: count.map(|(_, at)| *at),
    }
}

pub(crate) fn unknown(run: &str, id: &str, tasks: &[RoadmapTask]) -> Fault {
    let names: Vec<String> = tasks.iter().take(NAMED).map(|task| format!("{:?}", task.id)).collect();
    let hint = if names.is_empty() {
        "It has no tasks yet: record_attempt and plan_next make them known".to_owned()
    } else {
        format!("Its tasks are {}", names.join(", "))
    };
    Fault::new(format!("there is no task {id:?} in the run {run:?}"), hint)
}

#[cfg(test)]
mod tests {
    use loopbreak::Settings;

    use super::super::server::Options;
    use super::*;

    #[test]
    fn tasks_with_long_names_alike_are_not_taken_for_one_that_loops() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("x.db").into();
        let options = Options { settings: Settings::default(), store, folder: String::new(), run: None };
        let mut place = Place::open(options).unwrap();
        for end in ["list", "add", "remove", "rename"] {
            let id = format!("write the route of the interface that is there to handle things: {end}");
            let input = json!({"taskId": id, "status": "blocked", "blockers": ["no token"]});
            let told = place.record_attempt("r", &serde_json::from_value(input).unwrap());
            assert!(told.as_ref().is_err() || told.is_ok_and(|told| !told.check.is_looping), "{end}");
        }
    }
}
