//! Adds and changes tasks.

use loopbreak_store::tasks::{RoadmapProblem, RoadmapTask, TaskState, find_problems, is_task_id};
use loopbreak_store::{RunChange, RunEvent, RunRecords, TaskEvent, now, redact_and_truncate};

use super::args::{AddArgs, BlockArgs, ChangeArgs};
use super::find;
use crate::error::UserError;
use crate::exit;
use crate::output::printable;

pub(super) fn add(run: Option<&str>, args: &AddArgs) -> Result<u8, UserError> {
    let AddArgs { id, title, details, after, check } = args;
    if !is_task_id(id) {
        return Err(UserError::usage(format!("invalid task id {:?}", redact_and_truncate(id)))
            .hint("use a short word of at most 64 bytes"));
    }
    if !check.is_empty()
        && loopbreak_watch::notification::split_command_line(check).is_none_or(|words| words.is_empty())
    {
        return Err(UserError::usage(format!("--check {check:?}: no command, or a quote is not closed")));
    }
    change(run, "added", |tasks| {
        let last = tasks.iter().map(|task| task.position).filter(|at| *at < i64::MAX.unsigned_abs()).max();
        let task = RoadmapTask {
            id: id.clone(),
            title: title.clone(),
            details: details.clone(),
            after: after.clone(),
            position: last.unwrap_or_default() + 1,
            check: check.clone(),
            changed: now(),
            ..RoadmapTask::default()
        };
        match wrong(tasks, &task) {
            Some(wrong) => Err(UserError::usage(wrong).hint("`loopbreak tasks list` lists the tasks")),
            None => Ok(task),
        }
    })
}

/// Returns the problem that this task would cause in the roadmap.
fn wrong(tasks: &[RoadmapTask], task: &RoadmapTask) -> Option<String> {
    let mut all = tasks.to_vec();
    all.push(task.clone());
    find_problems(&all).into_iter().find_map(|fault| match fault {
        RoadmapProblem::Duplicate { id, .. } => Some(format!("task {id:?} already exists")),
        RoadmapProblem::Unknown { task, dependency } if task + 1 == all.len() => {
            Some(format!("--after: task {dependency:?} not found"))
        }
        RoadmapProblem::Cycle(circle) if circle.contains(&(all.len() - 1)) => {
            Some("the tasks would wait for each other".to_owned())
        }
        RoadmapProblem::Unknown { .. } | RoadmapProblem::Cycle(_) => None,
    })
}

pub(super) fn done(run: Option<&str>, args: &ChangeArgs) -> Result<u8, UserError> {
    change(run, "done", |tasks| {
        let mut task = find::task(tasks, &args.id)?.clone();
        task.finish(&args.reason, now());
        Ok(task)
    })
}

pub(super) fn open(run: Option<&str>, args: &ChangeArgs) -> Result<u8, UserError> {
    let reason = if args.reason.is_empty() { "reopened by hand" } else { &args.reason };
    change(run, "open", |tasks| {
        let mut task = find::task(tasks, &args.id)?.clone();
        task.reopen(reason, now());
        Ok(task)
    })
}

pub(super) fn block(run: Option<&str>, args: &BlockArgs) -> Result<u8, UserError> {
    change(run, "blocked", |tasks| {
        let mut task = find::task(tasks, &args.id)?.clone();
        if !task.is_open() {
            let message = format!("task {:?} is {}", args.id, task.label());
            let hint = format!("reopen it first with `loopbreak tasks open {}`", args.id);
            return Err(UserError::usage(message).hint(hint));
        }
        task.status = TaskState::Blocked;
        task.blockers = args.by.iter().map(|blocker| redact_and_truncate(blocker)).collect();
        task.changed = now();
        Ok(task)
    })
}

/// Changes a task and stores it, within one transaction.
fn change(
    run: Option<&str>,
    what: &str,
    make: impl FnOnce(&[RoadmapTask]) -> Result<RoadmapTask, UserError>,
) -> Result<u8, UserError> {
    let mut found = find::find(run)?;
    let (key, folder) = (found.run.key(), found.run.folder.clone());
    let transaction = found.store.begin(&key, &folder, now())?;
    let tasks = transaction.roadmap()?;
    let task = make(&tasks)?;
    let line = format!("task {}: {what}", printable(&task.id));
    let event =
        TaskEvent { action: line.clone(), task: task.id.clone(), status: task.status.as_str().to_owned() };
    let change = RunChange {
        records: RunRecords { roadmap: vec![task], ..RunRecords::default() },
        // A run that has ended stays ended.
        ended: found.run.ended.is_some(),
        ..RunEvent::Task(event).into()
    };
    transaction.commit(change)?;
    anstream::eprintln!("loopbreak: {line}");
    Ok(exit::DONE)
}
