//! Which task comes next.

use std::collections::BTreeSet;

use super::{Escalation, RoadmapTask, Status};

/// What there is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next<'t> {
    /// This task.
    Task(&'t RoadmapTask),
    /// Nothing now: all that is open waits for something, or for a human.
    Nothing,
    /// Nothing any more: every task is closed.
    Closed,
}

/// The next task: one that is open and waits for no other. First those that were sent back, then the others in the order
/// of the roadmap, those that are blocked after those that are not; and only if there is nothing else, one about which a
/// human was called in vain.
///
/// A task that is closed, forced on or left to a human never comes.
pub fn next(tasks: &[RoadmapTask]) -> Next<'_> {
    let finished: BTreeSet<&str> =
        tasks.iter().filter(|task| task.is_finished()).map(|task| task.id.as_str()).collect();
    let ready = |task: &&RoadmapTask| {
        task.is_open() && task.after.iter().all(|dependency| finished.contains(dependency.as_str()))
    };
    let rank = |task: &&RoadmapTask| {
        let called = task.escalation == Escalation::Called;
        (called, !task.returned, task.status == Status::Blocked, task.position)
    };
    match tasks.iter().filter(ready).min_by_key(rank) {
        Some(task) => Next::Task(task),
        None if tasks.iter().all(|task| task.status == Status::Done) => Next::Closed,
        None => Next::Nothing,
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
        match next(tasks) {
            Next::Task(task) => Some(&task.id),
            _ => None,
        }
    }

    #[test]
    fn what_others_wait_for_comes_first() {
        let mut all = tasks(&[("ship", &["build", "docs"]), ("build", &[]), ("docs", &["build"])]);
        let mut order = Vec::new();
        while let Next::Task(task) = next(&all) {
            let id = task.id.clone();
            all.iter_mut().find(|task| task.id == id).unwrap().finish("", 1);
            order.push(id);
        }
        assert_eq!(order, ["build", "docs", "ship"]);
        assert_eq!(next(&all), Next::Closed);
        assert_eq!(next(&[]), Next::Closed);
    }

    #[test]
    fn blocked_tasks_wait_until_the_others_are_done_and_those_sent_back_come_at_once() {
        let mut all = tasks(&[("a", &[]), ("b", &[]), ("c", &[])]);
        all[0].status = Status::Blocked;
        assert_eq!(picked(&all), Some("b"));
        all[2].returned = true;
        assert_eq!(picked(&all), Some("c"));
        all[1].finish("", 1);
        all[2].finish("", 1);
        assert_eq!(picked(&all), Some("a"));
    }

    #[test]
    fn a_forced_task_never_comes_and_frees_nobody() {
        let mut all = tasks(&[("a", &[]), ("b", &["a"])]);
        (all[0].status, all[0].forced) = (Status::Done, true);
        assert_eq!(next(&all), Next::Nothing);
        // Even if somebody wrote another status over it.
        all[0].status = Status::Pending;
        assert_eq!(next(&all), Next::Nothing);
        // What was finished before it was forced on is finished.
        (all[0].status, all[0].finished) = (Status::Done, true);
        assert_eq!(picked(&all), Some("b"));
    }

    #[test]
    fn a_task_a_human_was_called_about_is_the_last_resort_and_one_left_to_him_is_none() {
        let mut all = tasks(&[("a", &[]), ("b", &[])]);
        (all[0].status, all[0].escalation) = (Status::Blocked, Escalation::Called);
        assert_eq!(picked(&all), Some("b"));
        all[1].finish("", 1);
        assert_eq!(picked(&all), Some("a"));
        all[0].escalation = Escalation::Left;
        assert_eq!(next(&all), Next::Nothing);
    }
}
