//! How a roadmap ends.

use std::fmt::Write as _;

use loopbreak_store::tasks::{RoadmapTask, TaskEscalation, unfinished_dependencies};

use super::task_autopilot::TaskAutopilot;
use crate::iterations::run_end::RunEndReason;
use crate::iterations::run_loop::RunEnd;

impl TaskAutopilot<'_, '_> {
    /// The end where there is nothing more to do: all is done, or a human has to see to the rest.
    pub(crate) fn close(&self) -> RunEnd {
        close(&self.tasks)
    }
}

fn close(tasks: &[RoadmapTask]) -> RunEnd {
    let left: Vec<String> =
        tasks.iter().filter(|task| !task.is_finished()).map(|task| why(task, tasks)).collect();
    let done = tasks.len() - left.len();
    if left.is_empty() {
        let deferred: Vec<&str> =
            tasks.iter().filter(|task| !task.deferred.is_empty()).map(|task| task.id.as_str()).collect();
        let mut text = format!("all {done} tasks are done");
        if !deferred.is_empty() {
            let _ = write!(text, "; checks are still to be made: {}", deferred.join(", "));
        }
        return (RunEndReason::Complete, text);
    }
    let text = format!(
        "{done} of {} tasks are done; left are {}. To go on: `loopbreak tasks open TASK`, then --resume",
        tasks.len(),
        left.join("; ")
    );
    (RunEndReason::Human, text)
}

/// Why a task is not done.
fn why(task: &RoadmapTask, tasks: &[RoadmapTask]) -> String {
    let waits = unfinished_dependencies(task, tasks);
    let why = match task.escalation {
        _ if task.forced => format!("forced on, not finished: {}", task.reason),
        TaskEscalation::Called | TaskEscalation::Left => format!("escalated: {}", task.reason),
        TaskEscalation::None if !waits.is_empty() => format!("waits for {}", waits.join(", ")),
        TaskEscalation::None => task.status.as_str().to_owned(),
    };
    format!("{} ({why})", task.id)
}

#[cfg(test)]
mod tests {
    use loopbreak_store::tasks::{TaskRemedy, TaskState};

    use super::*;

    #[test]
    fn an_end_tells_what_is_left_and_why() {
        let task = |id: &str| RoadmapTask { id: id.into(), ..RoadmapTask::default() };
        let mut tasks = vec![task("a"), task("b"), task("c")];
        tasks[2].after = vec!["b".into()];
        tasks[0].finish("", 1);
        TaskRemedy::ForceNext.apply(&mut tasks[1], "5 attempts did the same work", 2);
        let (ending, text) = close(&tasks);
        assert_eq!(ending, RunEndReason::Human);
        assert_eq!(
            text,
            "1 of 3 tasks are done; left are b (forced on, not finished: 5 attempts did the same work); c (waits for b). \
             To go on: `loopbreak tasks open TASK`, then --resume"
        );
        tasks.truncate(1);
        tasks[0].deferred.push("critic:style".into());
        assert_eq!(
            close(&tasks),
            (RunEndReason::Complete, "all 1 tasks are done; checks are still to be made: a".into())
        );
        tasks[0].status = TaskState::Blocked;
        assert_eq!(close(&tasks).0, RunEndReason::Human);
    }
}
