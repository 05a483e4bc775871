//! Adds a task to a roadmap.

use super::{RoadmapProblem, RoadmapTask, find_problems};

/// The reason why a task cannot be added.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NewTaskError {
    /// A task with this id exists.
    #[error("task {id:?} already exists")]
    Duplicate {
        /// The id.
        id: String,
    },
    /// It depends on a task that does not exist.
    #[error("task {dependency:?} not found")]
    UnknownDependency {
        /// Id of the missing task.
        dependency: String,
    },
    /// It would wait for itself.
    #[error("the tasks would wait for each other")]
    Cycle,
}

/// Returns the task with its position after all others, or the problem that it would cause in the roadmap.
pub fn place_new_task(tasks: &[RoadmapTask], mut task: RoadmapTask) -> Result<RoadmapTask, NewTaskError> {
    // Tasks that are not in a roadmap have the largest positions.
    let last = tasks.iter().map(|task| task.position).filter(|at| *at < i64::MAX.unsigned_abs()).max();
    task.position = last.unwrap_or_default() + 1;
    let mut all = tasks.to_vec();
    all.push(task.clone());
    let problem = find_problems(&all).into_iter().find_map(|problem| match problem {
        RoadmapProblem::Duplicate { id, .. } => Some(NewTaskError::Duplicate { id }),
        RoadmapProblem::Unknown { task, dependency } if task + 1 == all.len() => {
            Some(NewTaskError::UnknownDependency { dependency })
        }
        RoadmapProblem::Cycle(circle) if circle.contains(&(all.len() - 1)) => Some(NewTaskError::Cycle),
        RoadmapProblem::Unknown { .. } | RoadmapProblem::Cycle(_) => None,
    });
    problem.map_or(Ok(task), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(id: &str, after: &[&str], position: u64) -> RoadmapTask {
        let after = after.iter().map(|id| (*id).to_owned()).collect();
        RoadmapTask { id: id.to_owned(), after, position, ..RoadmapTask::default() }
    }

    #[test]
    fn a_new_task_comes_last() {
        let tasks = [task("a", &[], 4), task("b", &["missing"], i64::MAX.unsigned_abs())];
        assert_eq!(place_new_task(&tasks, task("c", &["a"], 0)).unwrap().position, 5);
    }

    #[test]
    fn a_task_that_breaks_the_roadmap_is_not_added() {
        let tasks = [task("a", &["c"], 1)];
        let error = |new: RoadmapTask| place_new_task(&tasks, new).unwrap_err().to_string();
        assert_eq!(error(task("a", &[], 0)), "task \"a\" already exists");
        assert_eq!(error(task("b", &["d"], 0)), "task \"d\" not found");
        assert_eq!(error(task("c", &["a"], 0)), "the tasks would wait for each other");
    }
}
