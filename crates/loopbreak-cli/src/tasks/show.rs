//! `tasks show`: prints everything about a task.

use std::fmt::Write as _;

use loopbreak_store::tasks::unfinished_dependencies;
use loopbreak_store::{StoredAttempt, StoredContextEntry, StoredRecovery};
use serde_json::json;

use super::args::ShowArgs;
use super::find::{self, find};
use crate::error::UserError;
use crate::output::printable;
use crate::{exit, output};

pub(super) fn show(run: Option<&str>, args: &ShowArgs) -> Result<u8, UserError> {
    let found = find(run)?;
    let task = find::task(&found.tasks, &args.id)?;
    let mut attempts: Vec<StoredAttempt> = found.store.attempts(&found.run)?;
    attempts.retain(|attempt| attempt.task == args.id);
    let mut recoveries: Vec<StoredRecovery> = found.store.recoveries(&found.run)?;
    // A recovery about a cycle names all its tasks.
    let about = |names: &str| names.split(", ").any(|name| name == args.id);
    recoveries.retain(|recovery| recovery.task.as_deref().is_some_and(about));
    let mut context: Vec<StoredContextEntry> = found.store.context(&found.run)?;
    context.retain(|entry| entry.related_tasks.contains(&args.id));
    if args.json {
        let all = json!({"task": task, "attempts": attempts, "recoveries": recoveries, "context": context});
        output::print(&format!("{all:#}\n"))?;
        return Ok(exit::DONE);
    }
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(text, "{name:<10}{}", printable(value));
        }
    };
    line("task", &task.id);
    line("title", &task.title);
    line("status", task.label());
    line("why", &task.reason);
    line("after", &task.after.join(", "));
    line("waits for", &unfinished_dependencies(task, &found.tasks).join(", "));
    line("blockers", &task.blockers.join("; "));
    line("check", &task.check);
    line("deferred", &task.deferred.join(", "));
    for details in task.details.lines() {
        let _ = writeln!(text, "    {}", printable(details));
    }
    for StoredAttempt { number, status, blockers, work, .. } in &attempts {
        let _ = write!(text, "attempt {number}: {}", printable(status));
        for (name, items) in [("blocked by", blockers), ("did", work)] {
            if !items.is_empty() {
                let _ = write!(text, "; {name} {}", printable(&items.join(", ")));
            }
        }
        text.push('\n');
    }
    for StoredRecovery { intervention, reason, .. } in &recoveries {
        let _ = writeln!(text, "{}: {}", printable(intervention), printable(reason));
    }
    for entry in context.iter().filter(|entry| entry.topic != "loop_recovery") {
        let _ = writeln!(text, "{}:", printable(&entry.topic));
        for said in entry.content.lines() {
            let _ = writeln!(text, "    {}", printable(said));
        }
    }
    output::print(&text)?;
    Ok(exit::DONE)
}
