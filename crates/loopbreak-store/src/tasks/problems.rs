//! Dependencies between tasks, and problems with them.

use std::collections::{BTreeMap, BTreeSet};

use super::RoadmapTask;

/// A problem with the tasks of a roadmap.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RoadmapProblem {
    /// Two tasks have the same id.
    Duplicate {
        /// The id.
        id: String,
        /// Index of the first task.
        first: usize,
        /// Index of the second task.
        again: usize,
    },
    /// A task depends on an unknown task.
    Unknown {
        /// Index of the task.
        task: usize,
        /// Id of the unknown task.
        dependency: String,
    },
    /// Tasks depend on each other in a circle: each on the next one, and the last on the first. Holds their indices.
    Cycle(Vec<usize>),
}

/// Finds the problems of a roadmap: duplicates and unknown ids in the order of the list, then one circle for each task
/// that starts one.
pub fn find_problems(tasks: &[RoadmapTask]) -> Vec<RoadmapProblem> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for (again, task) in tasks.iter().enumerate() {
        match places.get(task.id.as_str()) {
            Some(&first) => found.push(RoadmapProblem::Duplicate { id: task.id.clone(), first, again }),
            None => {
                places.insert(&task.id, again);
            }
        }
    }
    for (place, task) in tasks.iter().enumerate() {
        for dependency in task.after.iter().filter(|id| !places.contains_key(id.as_str())) {
            found.push(RoadmapProblem::Unknown { task: place, dependency: dependency.clone() });
        }
    }
    found.extend(circles(tasks, &places).into_iter().map(RoadmapProblem::Cycle));
    found
}

/// Finds the circles with a walk along the dependencies. It is not recursive, because a roadmap may be a long
/// chain.
fn circles(tasks: &[RoadmapTask], places: &BTreeMap<&str, usize>) -> Vec<Vec<usize>> {
    let mut circles = Vec::new();
    let mut finished: BTreeSet<usize> = BTreeSet::new();
    for start in 0..tasks.len() {
        // The path from the start: each task with the number of its dependencies that were visited.
        let mut path = vec![(start, 0)];
        let mut on_path = BTreeSet::from([start]);
        while let Some((place, visited)) = path.last_mut() {
            let place = *place;
            let Some(dependency) = tasks[place].after.get(*visited).filter(|_| !finished.contains(&place))
            else {
                finished.insert(place);
                on_path.remove(&place);
                path.pop();
                continue;
            };
            *visited += 1;
            let Some(&next) = places.get(dependency.as_str()) else { continue };
            if on_path.contains(&next) {
                let begin = path.iter().position(|(place, _)| *place == next).unwrap_or_default();
                circles.push(path[begin..].iter().map(|(place, _)| *place).collect());
            } else if !finished.contains(&next) {
                on_path.insert(next);
                path.push((next, 0));
            }
        }
    }
    circles
}

/// Returns the dependencies of a task that are not finished.
pub fn unfinished_dependencies<'t>(task: &'t RoadmapTask, tasks: &[RoadmapTask]) -> Vec<&'t str> {
    let finished = |id: &str| tasks.iter().any(|known| known.id == id && known.is_finished());
    task.after.iter().map(String::as_str).filter(|id| !finished(id)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(id: &str, after: &[&str]) -> RoadmapTask {
        let after = after.iter().map(|id| (*id).to_owned()).collect();
        RoadmapTask { id: id.to_owned(), after, ..RoadmapTask::default() }
    }

    #[test]
    fn finds_duplicates_and_unknown_ids_with_their_indices() {
        let tasks = [task("a", &["x"]), task("b", &["a"]), task("a", &[])];
        let expected = [
            RoadmapProblem::Duplicate { id: "a".into(), first: 0, again: 2 },
            RoadmapProblem::Unknown { task: 0, dependency: "x".into() },
        ];
        assert_eq!(find_problems(&tasks), expected);
    }

    #[test]
    fn finds_exactly_the_tasks_of_a_circle() {
        let tasks = [task("lead", &["a"]), task("a", &["b"]), task("b", &["c"]), task("c", &["a"])];
        assert_eq!(find_problems(&tasks), [RoadmapProblem::Cycle(vec![1, 2, 3])]);
        assert_eq!(find_problems(&[task("a", &["a"])]), [RoadmapProblem::Cycle(vec![0])]);
        let diamond = [task("a", &["b", "c"]), task("b", &["d"]), task("c", &["d"]), task("d", &[])];
        assert_eq!(find_problems(&diamond), []);
    }

    #[test]
    fn accepts_a_long_chain() {
        let ids: Vec<String> = (0..20_000).map(|number| number.to_string()).collect();
        let mut tasks: Vec<RoadmapTask> = ids.windows(2).map(|pair| task(&pair[0], &[&pair[1]])).collect();
        tasks.push(task(&ids[19_999], &[]));
        assert_eq!(find_problems(&tasks), []);
    }
}
