//! Changes of tasks, by hand or by an agent that calls us.

use loopbreak_store::tasks::{Fault, RoadmapTask, Status, faults, is_id};
use loopbreak_store::{Change, Records, Store as _, now, quoted};
use serde_json::json;

use super::args::{AddArgs, BlockArgs, ChangeArgs};
use super::find::{Found, find};
use crate::error::UserError;
use crate::exit;
use crate::status::{failed, printable};

pub(super) fn add(run: Option<&str>, args: &AddArgs) -> Result<u8, UserError> {
    let found = find(run)?;
    let AddArgs { id, title, details, after, check } = args;
    if !is_id(id) {
        return Err(UserError::usage(format!("{:?} is no id", quoted(id)))
            .hint("an id is a short word, at most 64 bytes long"));
    }
    if !check.is_empty() && crate::watch::words(check).is_none_or(|words| words.is_empty()) {
        return Err(UserError::usage(format!("--check {check:?}: no command, or a quote is left open")));
    }
    let last = found.tasks.iter().map(|task| task.position).filter(|at| *at < i64::MAX.unsigned_abs()).max();
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
    let mut all = found.tasks.clone();
    all.push(task.clone());
    let wrong = faults(&all).into_iter().find_map(|fault| match fault {
        Fault::Duplicate { id, .. } => Some(format!("there is a task {id:?} already")),
        Fault::Unknown { task, dependency } if task + 1 == all.len() => {
            Some(format!("there is no task {dependency:?} to come after"))
        }
        Fault::Cycle(circle) if circle.contains(&(all.len() - 1)) => {
            Some("tasks would wait for each other".to_owned())
        }
        Fault::Unknown { .. } | Fault::Cycle(_) => None,
    });
    if let Some(wrong) = wrong {
        return Err(UserError::usage(wrong).hint("`loopbreak tasks list` lists the tasks"));
    }
    write(found, task, "added")
}

pub(super) fn done(run: Option<&str>, args: &ChangeArgs) -> Result<u8, UserError> {
    let found = find(run)?;
    let mut task = found.task(&args.id)?.clone();
    task.finish(&args.reason, now());
    write(found, task, "done")
}

pub(super) fn open(run: Option<&str>, args: &ChangeArgs) -> Result<u8, UserError> {
    let found = find(run)?;
    let mut task = found.task(&args.id)?.clone();
    let reason = if args.reason.is_empty() { "opened again by hand" } else { &args.reason };
    task.reopen(reason, now());
    write(found, task, "open")
}

pub(super) fn block(run: Option<&str>, args: &BlockArgs) -> Result<u8, UserError> {
    let found = find(run)?;
    let mut task = found.task(&args.id)?.clone();
    if !task.is_open() {
        let message = format!("task {:?} is {}", args.id, task.standing());
        return Err(UserError::usage(message).hint(format!("`loopbreak tasks open {}` comes first", args.id)));
    }
    task.status = Status::Blocked;
    task.blockers = args.by.iter().map(|blocker| quoted(blocker)).collect();
    task.changed = now();
    write(found, task, "blocked")
}

fn write(mut found: Found, task: RoadmapTask, what: &str) -> Result<u8, UserError> {
    let id = task.id.clone();
    let line = format!("task {}: {what}", printable(&id));
    let detail = json!({"action": line, "task": id, "status": task.status.as_str()});
    let change = Change {
        records: Records { roadmap: vec![task], ..Records::default() },
        // A run that is over stays so.
        ended: found.run.ended.is_some(),
        ..Change::event("task", detail.to_string())
    };
    let (key, folder) = (found.run.key(), found.run.folder.clone());
    found.store.update(&key, &folder, now(), |_| Some(change)).map_err(|error| failed(&error))?;
    anstream::eprintln!("loopbreak: {line}");
    Ok(exit::DONE)
}
