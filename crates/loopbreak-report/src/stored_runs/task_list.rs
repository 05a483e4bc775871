//! The tasks of a roadmap as a table, a tree or JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use loopbreak_store::tasks::{NextTask, RoadmapTask, TaskEscalation, next_task, unfinished_dependencies};
use loopbreak_store::{RoadmapRun, StoredAttempt};
use serde_json::{Value, json};

use crate::printable;

/// Maximum depth of the tree: a longer chain is not readable as a tree.
const MAX_DEPTH: usize = 40;

/// Counts the attempts at each task.
pub fn count_attempts(attempts: &[StoredAttempt]) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for attempt in attempts {
        *counts.entry(attempt.task.clone()).or_default() += 1;
    }
    counts
}

/// Returns the tasks of a run as JSON.
pub fn task_list_json(roadmap: &RoadmapRun, attempts: &BTreeMap<String, u64>) -> Value {
    let tasks: Vec<Value> = roadmap
        .tasks
        .iter()
        .map(|task| {
            let mut value = serde_json::to_value(task).unwrap_or_default();
            value["standing"] = task.label().into();
            value["attempts"] = attempts.get(&task.id).copied().unwrap_or_default().into();
            value["waits_for"] = unfinished_dependencies(task, &roadmap.tasks).into();
            value
        })
        .collect();
    let next = match next_task(&roadmap.tasks) {
        NextTask::Task(task) => Some(task.id.as_str()),
        _ => None,
    };
    json!({"run": roadmap.run.session, "folder": roadmap.run.folder, "next": next, "tasks": tasks})
}

/// Renders the tasks as a table, and the number of finished ones below it.
pub fn render_task_table(tasks: &[RoadmapTask], attempts: &BTreeMap<String, u64>) -> String {
    let rows: Vec<[String; 4]> = tasks
        .iter()
        .map(|task| {
            let count = attempts.get(&task.id).copied().unwrap_or_default();
            [printable(&task.id), status_text(task, tasks), count.to_string(), printable(&task.title)]
        })
        .collect();
    let heads = ["TASK", "STATUS", "ATTEMPTS", "TITLE"].map(str::to_owned);
    let width = |column: usize| {
        let cells = std::iter::once(&heads).chain(&rows).map(|row| row[column].chars().count());
        cells.max().unwrap_or_default()
    };
    let (id, status, count) = (width(0), width(1), width(2));
    let mut text = String::new();
    for ([a, b, c, d], task) in std::iter::once((&heads, None)).chain(rows.iter().zip(tasks.iter().map(Some)))
    {
        let _ = writeln!(text, "{}", format!("{a:<id$}  {b:<status$}  {c:>count$}  {d}").trim_end());
        if let Some(reason) = task.and_then(status_reason) {
            let _ = writeln!(text, "{:id$}  {reason}", "");
        }
    }
    let finished = tasks.iter().filter(|task| task.is_finished()).count();
    let _ = writeln!(
        text,
        "\n{finished} of {} done{}",
        tasks.len(),
        match next_task(tasks) {
            NextTask::Task(task) => format!(", next is {}", printable(&task.id)),
            NextTask::Closed => String::new(),
            _ => ", none can be worked on".to_owned(),
        }
    );
    text
}

/// Returns the status of a task in one or two words.
fn status_text(task: &RoadmapTask, tasks: &[RoadmapTask]) -> String {
    let waits = unfinished_dependencies(task, tasks);
    if task.is_open() && !waits.is_empty() && task.escalation == TaskEscalation::None {
        return printable(&format!("waits for {}", waits.join(", ")));
    }
    task.label().to_owned()
}

/// Returns the reason for the status of a task, if it needs one.
fn status_reason(task: &RoadmapTask) -> Option<String> {
    let mut parts = Vec::new();
    if matches!(task.label(), "forced" | "escalated" | "blocked") && !task.reason.is_empty() {
        parts.push(task.reason.clone());
    }
    if !task.blockers.is_empty() {
        parts.push(format!("blocked by {}", task.blockers.join(", ")));
    }
    if !task.deferred.is_empty() {
        parts.push(format!("to be checked later: {}", task.deferred.join(", ")));
    }
    (!parts.is_empty()).then(|| printable(&parts.join("; ")))
}

/// Renders each task below those it waits for. A task with several dependencies appears below each of them,
/// in full only the first time.
pub fn render_task_tree(tasks: &[RoadmapTask]) -> String {
    let mut text = String::new();
    let mut drawn = Vec::new();
    let known = |id: &String| tasks.iter().any(|task| task.id == *id);
    for task in tasks.iter().filter(|task| !task.after.iter().any(known)) {
        render_branch(task, tasks, 0, &mut drawn, &mut text);
    }
    text
}

fn render_branch<'t>(
    task: &'t RoadmapTask,
    tasks: &'t [RoadmapTask],
    depth: usize,
    drawn: &mut Vec<&'t str>,
    text: &mut String,
) {
    let indent = "  ".repeat(depth);
    let again = drawn.contains(&task.id.as_str());
    let title = if task.title.is_empty() { String::new() } else { format!("  {}", printable(&task.title)) };
    let rest = if again { "  (see above)" } else { title.as_str() };
    let _ = writeln!(text, "{indent}{} [{}]{rest}", printable(&task.id), task.label());
    if again || depth >= MAX_DEPTH {
        return;
    }
    drawn.push(&task.id);
    for next in tasks.iter().filter(|next| next.after.contains(&task.id)) {
        render_branch(next, tasks, depth + 1, drawn, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(id: &str, title: &str, after: &[&str]) -> RoadmapTask {
        let after = after.iter().map(|id| (*id).to_owned()).collect();
        RoadmapTask { id: id.into(), title: title.into(), after, ..RoadmapTask::default() }
    }

    #[test]
    fn the_tree_shows_each_task_below_its_dependencies() {
        let tasks = [task("a", "First", &[]), task("b", "", &["a"]), task("c", "", &["a", "b"])];
        let expected = "a [pending]  First\n  b [pending]\n    c [pending]\n  c [pending]  (see above)\n";
        assert_eq!(render_task_tree(&tasks), expected);
    }

    #[test]
    fn the_table_shows_dependencies_and_why_a_task_is_stuck() {
        let mut tasks = vec![task("schema", "Draw", &[]), task("api", "Write", &["schema"])];
        (tasks[0].forced, tasks[0].reason) = (true, "5 attempts did the same work".into());
        tasks[0].status = loopbreak_store::tasks::TaskState::Done;
        let text = render_task_table(&tasks, &BTreeMap::from([("schema".to_owned(), 5)]));
        let expected = "\
TASK    STATUS            ATTEMPTS  TITLE
schema  forced                   5  Draw
        5 attempts did the same work
api     waits for schema         0  Write

0 of 2 done, none can be worked on
";
        assert_eq!(text, expected);
    }
}
