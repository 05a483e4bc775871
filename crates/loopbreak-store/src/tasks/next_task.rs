//! The next task.

use std::collections::BTreeSet;

use super::{RoadmapTask, TaskEscalation, TaskState};

/// The next task of a roadmap, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NextTask<'t> {
    /// A task that can be worked on.
    Task(&'t RoadmapTask),
    /// Every open task waits for another one or for a human.
    Nothing,
    /// Every task is closed.
    Closed,
}

/// Selects the next task: one that is open and whose dependencies are finished. Tasks that were sent back
/// come first, then the others in the order of the roadmap, blocked ones after the rest. A task that was
/// escalated comes last.
///
/// A task that is closed, forced or left to a human is never selected.
pub fn next_task(tasks: &[RoadmapTask]) -> NextTask<'_> {
    let finished: BTreeSet<&str> =
        tasks.iter().filter(|task| task.is_finished()).map(|task| task.id.as_str()).collect();
    let ready = |task: &&RoadmapTask| {
        task.is_open() && task.after.iter().all(|dependency| finished.contains(dependency.as_str()))
    };
    let rank = |task: &&RoadmapTask| {
        let called = task.escalation == TaskEscalation::Called;
        (called, !task.returned, task.status == TaskState::Blocked, task.position)
    };
    match tasks.iter().filter(ready).min_by_key(rank) {
        Some(task) => NextTask::Task(task),
        None if tasks.iter().all(|task| task.status == TaskState::Done) => NextTask::Closed,
        None => NextTask::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks(ids: &[(&str, &[&str])]) -> Vec<RoadmapTask> {
        (0..)
            .zip(ids)
            .map(|(position, (id, after))| RoadmapTask {
                id: (*id).to_owned(),
                after: after.iter().map(|id| (*id).to_owned()).collect(),
                position,
                ..RoadmapTask::default()
            })
            .collect()
    }

    fn picked(tasks: &[RoadmapTask]) -> Option<&str> {
        match next_task(tasks) {
            NextTask::Task(task) => Some(&task.id),
            _ => None,
        }
    }

    #[test]
    fn dependencies_come_first() {
        let mut all = tasks(&[("ship", &["build", "docs"]), ("build", &[]), ("docs", &["build"])]);
        let mut order = Vec::new();
        while let NextTask::Task(task) = next_task(&all) {
            let id = task.id.clone();
            all.iter_mut().find(|task| task.id == id).unwrap().finish("", 1);
            order.push(id);
        }
        assert_eq!(order, ["build", "docs", "ship"]);
        assert_eq!(next_task(&all), NextTask::Closed);
        assert_eq!(next_task(&[]), NextTask::Closed);
    }

    #[test]
    fn blocked_tasks_come_last_and_tasks_sent_back_come_first() {
        let mut all = tasks(&[("a", &[]), ("b", &[]), ("c", &[])]);
        all[0].status = TaskState::Blocked;
        assert_eq!(picked(&all), Some("b"));
        all[2].returned = true;
        assert_eq!(picked(&all), Some("c"));
        all[1].finish("", 1);
        all[2].finish("", 1);
        assert_eq!(picked(&all), Some("a"));
    }

    #[test]
    fn a_forced_task_is_never_selected_and_does_not_release_its_dependents() {
        let mut all = tasks(&[("a", &[]), ("b", &["a"])]);
        (all[0].status, all[0].forced) = (TaskState::Done, true);
        assert_eq!(next_task(&all), NextTask::Nothing);
        // Even if its status was overwritten.
        all[0].status = TaskState::Pending;
        assert_eq!(next_task(&all), NextTask::Nothing);
        // A task that was finished before it was forced is finished.
        (all[0].status, all[0].finished) = (TaskState::Done, true);
        assert_eq!(picked(&all), Some("b"));
    }

    #[test]
    fn an_escalated_task_comes_last_and_one_left_to_a_human_is_never_selected() {
        let mut all = tasks(&[("a", &[]), ("b", &[])]);
        (all[0].status, all[0].escalation) = (TaskState::Blocked, TaskEscalation::Called);
        assert_eq!(picked(&all), Some("b"));
        all[1].finish("", 1);
        assert_eq!(picked(&all), Some("a"));
        all[0].escalation = TaskEscalation::Left;
        assert_eq!(next_task(&all), NextTask::Nothing);
    }
}
