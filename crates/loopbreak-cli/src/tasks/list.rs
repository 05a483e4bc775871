//! `tasks list`: prints the tasks as a table, a tree or JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use loopbreak_store::tasks::{NextTask, RoadmapTask, next_task, unfinished_dependencies};
use serde_json::{Value, json};

use super::args::ListArgs;
use super::find::{FoundRun, find};
use crate::error::UserError;
use crate::output::printable;
use crate::{exit, output};

pub(super) fn list(run: Option<&str>, args: &ListArgs) -> Result<u8, UserError> {
    let found = find(run)?;
    let mut attempts: BTreeMap<String, u64> = BTreeMap::new();
    for attempt in found.store.attempts(&found.run)? {
        *attempts.entry(attempt.task).or_default() += 1;
    }
    let text = if args.json {
        format!("{:#}\n", data(&found, &attempts))
    } else if args.tree {
        tree(&found.tasks)
    } else {
        table(&found.tasks, &attempts)
    };
    output::print(&text)?;
    Ok(exit::DONE)
}

fn data(found: &FoundRun, attempts: &BTreeMap<String, u64>) -> Value {
    let tasks: Vec<Value> = found
        .tasks
        .iter()
        .map(|task| {
            let mut value = serde_json::to_value(task).unwrap_or_default();
            value["standing"] = task.label().into();
            value["attempts"] = attempts.get(&task.id).copied().unwrap_or_default().into();
            value["waits_for"] = unfinished_dependencies(task, &found.tasks).into();
            value
        })
        .collect();
    let next = match next_task(&found.tasks) {
        NextTask::Task(task) => Some(task.id.as_str()),
        NextTask::Nothing | NextTask::Closed => None,
    };
    json!({"run": found.run.session, "folder": found.run.folder, "next": next, "tasks": tasks})
}

fn table(tasks: &[RoadmapTask], attempts: &BTreeMap<String, u64>) -> String {
    let rows: Vec<[String; 4]> = tasks
        .iter()
        .map(|task| {
            let count = attempts.get(&task.id).copied().unwrap_or_default();
            [printable(&task.id), standing(task, tasks), count.to_string(), printable(&task.title)]
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
        if let Some(why) = task.and_then(why) {
            let _ = writeln!(text, "{:id$}  {why}", "");
        }
    }
    let finished = tasks.iter().filter(|task| task.is_finished()).count();
    let _ = writeln!(
        text,
        "\n{finished} of {} done{}",
        tasks.len(),
        match next_task(tasks) {
            NextTask::Task(task) => format!(", next is {}", printable(&task.id)),
            NextTask::Nothing => ", none can be worked on".to_owned(),
            NextTask::Closed => String::new(),
        }
    );
    text
}

/// Returns the status of a task in one or two words.
fn standing(task: &RoadmapTask, tasks: &[RoadmapTask]) -> String {
    let waits = unfinished_dependencies(task, tasks);
    if task.is_open() && !waits.is_empty() && task.escalation.as_str() == "none" {
        return printable(&format!("waits for {}", waits.join(", ")));
    }
    task.label().to_owned()
}

/// Returns the reason for the status of a task, if it needs one.
fn why(task: &RoadmapTask) -> Option<String> {
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
fn tree(tasks: &[RoadmapTask]) -> String {
    let mut text = String::new();
    let mut drawn = Vec::new();
    let known = |id: &String| tasks.iter().any(|task| task.id == *id);
    for task in tasks.iter().filter(|task| !task.after.iter().any(known)) {
        branch(task, tasks, 0, &mut drawn, &mut text);
    }
    text
}

/// Maximum depth of the tree: a longer chain is not readable as a tree.
const DEEPEST: usize = 40;

fn branch<'t>(
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
    if again || depth >= DEEPEST {
        return;
    }
    drawn.push(&task.id);
    for next in tasks.iter().filter(|next| next.after.contains(&task.id)) {
        branch(next, tasks, depth + 1, drawn, text);
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
        assert_eq!(tree(&tasks), expected);
    }

    #[test]
    fn the_table_shows_dependencies_and_why_a_task_is_stuck() {
        let mut tasks = vec![task("schema", "Draw", &[]), task("api", "Write", &["schema"])];
        (tasks[0].forced, tasks[0].reason) = (true, "5 attempts did the same work".into());
        tasks[0].status = loopbreak_store::tasks::TaskState::Done;
        let text = table(&tasks, &BTreeMap::from([("schema".to_owned(), 5)]));
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
