//! The end of a roadmap, and the message about it.

use std::fmt::Write as _;

use loopbreak_report::plural;
use loopbreak_store::tasks::{RoadmapTask, TaskEscalation, unfinished_dependencies};

use super::task_autopilot::TaskAutopilot;
use crate::iterations::run_end::RunEndReason;
use crate::iterations::run_loop::RunEnd;

impl TaskAutopilot<'_, '_> {
    /// Returns the end of a roadmap on which nothing more can be done: all tasks are done, or a human is
    /// needed.
    pub(crate) fn end(&self) -> RunEnd {
        roadmap_end(&self.tasks)
    }
}

fn roadmap_end(tasks: &[RoadmapTask]) -> RunEnd {
    let left: Vec<String> = tasks
        .iter()
        .filter(|task| !task.is_finished())
        .map(|task| describe_unfinished(task, tasks))
        .collect();
    let done = tasks.len() - left.len();
    if left.is_empty() {
        let deferred: Vec<&str> =
            tasks.iter().filter(|task| !task.deferred.is_empty()).map(|task| task.id.as_str()).collect();
        let mut text =
            if done == 1 { "the task is done".to_owned() } else { format!("all {done} tasks are done") };
        if !deferred.is_empty() {
            let _ = write!(text, "; checks are still pending: {}", deferred.join(", "));
        }
        return (RunEndReason::Complete, text);
    }
    let text = format!(
        "{done} of {} {} done; not done: {}. To continue: `loopbreak tasks open TASK`, then --resume",
        plural(tasks.len() as u64, "task"),
        if tasks.len() == 1 { "is" } else { "are" },
        left.join("; ")
    );
    (RunEndReason::Human, text)
}

/// Returns the task with the reason why it is not done.
fn describe_unfinished(task: &RoadmapTask, tasks: &[RoadmapTask]) -> String {
    let waits = unfinished_dependencies(task, tasks);
    let reason = match task.escalation {
        _ if task.forced => format!("closed by force_next, not finished: {}", task.reason),
        TaskEscalation::None if !waits.is_empty() => format!("waits for {}", waits.join(", ")),
        TaskEscalation::None => task.status.as_str().to_owned(),
        _ => format!("escalated: {}", task.reason),
    };
    format!("{} ({reason})", task.id)
}

#[cfg(test)]
mod tests {
    use loopbreak_store::tasks::{TaskRemedy, TaskState};

    use super::*;

    #[test]
    fn the_end_lists_the_unfinished_tasks_with_their_reasons() {
        let task = |id: &str| RoadmapTask { id: id.into(), ..RoadmapTask::default() };
        let mut tasks = vec![task("a"), task("b"), task("c")];
        tasks[2].after = vec!["b".into()];
        tasks[0].finish("", 1);
        TaskRemedy::ForceNext.apply(&mut tasks[1], "5 attempts did the same work", 2);
        let (ending, text) = roadmap_end(&tasks);
        assert_eq!(ending, RunEndReason::Human);
        assert_eq!(
            text,
            "1 of 3 tasks are done; not done: b (closed by force_next, not finished: 5 attempts did the same \
             work); c (waits for b). To continue: `loopbreak tasks open TASK`, then --resume"
        );
        tasks.truncate(1);
        tasks[0].deferred.push("critic:style".into());
        assert_eq!(
            roadmap_end(&tasks),
            (RunEndReason::Complete, "the task is done; checks are still pending: a".into())
        );
        tasks[0].status = TaskState::Blocked;
        assert_eq!(roadmap_end(&tasks).0, RunEndReason::Human);
    }
}
