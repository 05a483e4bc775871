//! Adds and changes tasks.

use loopbreak_store::tasks::{NewTaskError, RoadmapTask, is_task_id, place_new_task};
use loopbreak_store::{now, redact_and_truncate};
use loopbreak_watch::notification::split_command_line;

use super::args::{AddArgs, BlockArgs, ChangeArgs};
use super::find::{find_roadmap, find_task};
use crate::error::UserError;
use crate::exit;
use crate::output::{print_message, printable};

pub(super) fn add(run: Option<&str>, args: &AddArgs) -> Result<u8, UserError> {
    let AddArgs { id, title, details, after, check } = args;
    if !is_task_id(id) {
        return Err(UserError::usage(format!("invalid task id {:?}", redact_and_truncate(id)))
            .hint("use a short word of at most 64 bytes"));
    }
    if !check.is_empty() && split_command_line(check).is_none_or(|words| words.is_empty()) {
        return Err(UserError::usage(format!("--check {check:?}: no command, or a quote is not closed")));
    }
    change(run, "added", |tasks| {
        let task = RoadmapTask {
            id: id.clone(),
            title: title.clone(),
            details: details.clone(),
            after: after.clone(),
            check: check.clone(),
            changed: now(),
            ..RoadmapTask::default()
        };
        place_new_task(tasks, task).map_err(|error| {
            let message = match error {
                NewTaskError::UnknownDependency { .. } => format!("--after: {error}"),
                error => error.to_string(),
            };
            UserError::usage(message).hint("`loopbreak tasks list` lists the tasks")
        })
    })
}

pub(super) fn done(run: Option<&str>, args: &ChangeArgs) -> Result<u8, UserError> {
    change(run, "done", |tasks| {
        let mut task = find_task(tasks, &args.id)?.clone();
        task.finish(&args.reason, now());
        Ok(task)
    })
}

pub(super) fn open(run: Option<&str>, args: &ChangeArgs) -> Result<u8, UserError> {
    let reason = if args.reason.is_empty() { "reopened by hand" } else { &args.reason };
    change(run, "open", |tasks| {
        let mut task = find_task(tasks, &args.id)?.clone();
        task.reopen(reason, now());
        Ok(task)
    })
}

pub(super) fn block(run: Option<&str>, args: &BlockArgs) -> Result<u8, UserError> {
    change(run, "blocked", |tasks| {
        let mut task = find_task(tasks, &args.id)?.clone();
        if !task.is_open() {
            let message = format!("task {:?} is {}", args.id, task.label());
            let hint = format!("reopen it first with `loopbreak tasks open {}`", args.id);
            return Err(UserError::usage(message).hint(hint));
        }
        task.block(args.by.iter().map(|blocker| redact_and_truncate(blocker)).collect(), now());
        Ok(task)
    })
}

/// Changes a task and prints what was done.
fn change(
    run: Option<&str>,
    action: &str,
    change: impl FnOnce(&[RoadmapTask]) -> Result<RoadmapTask, UserError>,
) -> Result<u8, UserError> {
    let (mut store, roadmap) = find_roadmap(run)?;
    let line = roadmap.change_task(&mut *store, action, change)?;
    print_message("loopbreak", &printable(&line));
    Ok(exit::DONE)
}
