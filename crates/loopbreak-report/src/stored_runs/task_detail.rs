//! Everything about one task.

use std::fmt::Write as _;

use loopbreak_store::tasks::{RoadmapTask, unfinished_dependencies};
use loopbreak_store::{StoredAttempt, StoredRecovery, StoredTaskHistory};
use serde_json::{Value, json};

use crate::printable;

/// Returns a task with its history as JSON.
pub fn task_json(task: &RoadmapTask, history: &StoredTaskHistory) -> Value {
    let StoredTaskHistory { attempts, recoveries, context, .. } = history;
    json!({"task": task, "attempts": attempts, "recoveries": recoveries, "context": context})
}

/// Renders a task with its history. `tasks` are all tasks of the roadmap.
pub fn render_task(task: &RoadmapTask, tasks: &[RoadmapTask], history: &StoredTaskHistory) -> String {
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
    line("waits for", &unfinished_dependencies(task, tasks).join(", "));
    line("blockers", &task.blockers.join("; "));
    line("check", &task.check);
    line("deferred", &task.deferred.join(", "));
    for details in task.details.lines() {
        let _ = writeln!(text, "    {}", printable(details));
    }
    for StoredAttempt { number, status, blockers, work, .. } in &history.attempts {
        let _ = write!(text, "attempt {number}: {}", printable(status));
        for (name, items) in [("blocked by", blockers), ("did", work)] {
            if !items.is_empty() {
                let _ = write!(text, "; {name} {}", printable(&items.join(", ")));
            }
        }
        text.push('\n');
    }
    for StoredRecovery { intervention, reason, .. } in &history.recoveries {
        let _ = writeln!(text, "{}: {}", printable(intervention), printable(reason));
    }
    for entry in history.context.iter().filter(|entry| entry.topic != "loop_recovery") {
        let _ = writeln!(text, "{}:", printable(&entry.topic));
        for line in entry.content.lines() {
            let _ = writeln!(text, "    {}", printable(line));
        }
    }
    text
}
