//! What waits for what, and whether that can ever come to an end.

use std::collections::{BTreeMap, BTreeSet};

use super::RoadmapTask;

/// Something wrong with the tasks of a roadmap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Two tasks have the same id: the places of both in the list.
    Duplicate {
        /// The id.
        id: String,
        /// Where it was first.
        first: usize,
        /// Where it is again.
        again: usize,
    },
    /// A task waits for one that there is not.
    Unknown {
        /// The place of the task in the list.
        task: usize,
        /// What it waits for.
        dependency: String,
    },
    /// Tasks wait for each other, each for the next one and the last for the first: their places in the list.
    Cycle(Vec<usize>),
}

/// What is wrong with the tasks: duplicates and unknown names in the order of the list, then one circle for every task
/// that is first in one.
pub fn faults(tasks: &[RoadmapTask]) -> Vec<Fault> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for (again, task) in tasks.iter().enumerate() {
        match places.get(task.id.as_str()) {
            Some(&first) => found.push(Fault::Duplicate { id: task.id.clone(), first, again }),
            None => {
                places.insert(&task.id, again);
            }
        }
    }
    for (place, task) in tasks.iter().enumerate() {
        for dependency in task.after.iter().filter(|id| !places.contains_key(id.as_str())) {
            found.push(Fault::Unknown { task: place, dependency: dependency.clone() });
        }
    }
    found.extend(circles(tasks, &places).into_iter().map(Fault::Cycle));
    found
}

/// Every circle that a walk along the dependencies meets. No recursion: a roadmap may be a long chain.
fn circles(tasks: &[RoadmapTask], places: &BTreeMap<&str, usize>) -> Vec<Vec<usize>> {
    let mut circles = Vec::new();
    let mut over: BTreeSet<usize> = BTreeSet::new();
    for start in 0..tasks.len() {
        // The way from the start to here: each task, and how many of its dependencies were looked at.
        let mut way = vec![(start, 0)];
        let mut on_way = BTreeSet::from([start]);
        while let Some((place, looked)) = way.last_mut() {
            let place = *place;
            let Some(dependency) = tasks[place].after.get(*looked).filter(|_| !over.contains(&place)) else {
                over.insert(place);
                on_way.remove(&place);
                way.pop();
                continue;
            };
            *looked += 1;
            let Some(&next) = places.get(dependency.as_str()) else { continue };
            if on_way.contains(&next) {
                let begin = way.iter().position(|(place, _)| *place == next).unwrap_or_default();
                circles.push(way[begin..].iter().map(|(place, _)| *place).collect());
            } else if !over.contains(&next) {
                on_way.insert(next);
                way.push((next, 0));
            }
        }
    }
    circles
}

/// The tasks that have to be finished before this one can begin, and are not.
pub fn waits_for<'t>(task: &'t RoadmapTask, tasks: &[RoadmapTask]) -> Vec<&'t str> {
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
    fn duplicates_and_unknown_names_are_told_with_their_places() {
        let tasks = [task("a", &["x"]), task("b", &["a"]), task("a", &[])];
        let expected = [
            Fault::Duplicate { id: "a".into(), first: 0, again: 2 },
            Fault::Unknown { task: 0, dependency: "x".into() },
        ];
        assert_eq!(faults(&tasks), expected);
    }

    #[test]
    fn a_circle_is_told_with_all_that_are_in_it_and_none_that_are_not() {
        let tasks = [task("lead", &["a"]), task("a", &["b"]), task("b", &["c"]), task("c", &["a"])];
        assert_eq!(faults(&tasks), [Fault::Cycle(vec![1, 2, 3])]);
        assert_eq!(faults(&[task("a", &["a"])]), [Fault::Cycle(vec![0])]);
        let diamond = [task("a", &["b", "c"]), task("b", &["d"]), task("c", &["d"]), task("d", &[])];
        assert_eq!(faults(&diamond), []);
    }

    #[test]
    fn a_long_chain_is_no_trouble() {
        let ids: Vec<String> = (0..20_000).map(|number| number.to_string()).collect();
        let mut tasks: Vec<RoadmapTask> = ids.windows(2).map(|pair| task(&pair[0], &[&pair[1]])).collect();
        tasks.push(task(&ids[19_999], &[]));
        assert_eq!(faults(&tasks), []);
    }
}
