//! What a report on a task changes.

use super::{Escalation, RoadmapTask, Status};

/// How the checkers of a task are named among its blockers.
const CHECKERS: [&str; 3] = ["critic:", "checker:", "check:"];
const UNAVAILABLE: [&str; 4] = ["unavailable", "not available", "unreachable", "offline"];

/// What somebody who worked on a task says of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Which task.
    pub task: String,
    /// How it stands; nothing where nothing was said.
    pub status: Option<Status>,
    /// What stands in its way.
    pub blockers: Vec<String>,
    /// What was done.
    pub work: Vec<String>,
    /// The tasks that are to be done again.
    pub send_back: Vec<String>,
    /// Why, in words.
    pub reason: String,
}

/// What a report changed beside the task itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// How the task stood at the end of the attempt: what the detector is to be told.
    pub status: Status,
    /// The checks that were put off, so that the task is not blocked any more.
    pub deferred: Vec<String>,
    /// The tasks that are open again.
    pub returned: Vec<String>,
    /// The tasks that were to be opened again and cannot be: closed for good, left to a human, or not known.
    pub refused: Vec<String>,
}

/// Takes in a report; nothing where there is no such task. A task that is closed stays so: only to send it back opens it.
pub fn apply(tasks: &mut [RoadmapTask], report: &Report, now: i64) -> Option<Effect> {
    let task = tasks.iter_mut().find(|task| task.id == report.task)?;
    let mut effect = Effect::default();
    if task.is_open() {
        effect.status = take(task, report, &mut effect.deferred, now);
    } else {
        effect.status = task.status;
    }
    for id in report.send_back.iter().filter(|id| **id != report.task) {
        let back = tasks.iter_mut().find(|task| task.id == *id);
        match back.filter(|task| !task.forced && task.escalation != Escalation::Left) {
            Some(task) => {
                task.reopen(&format!("sent back by {}", report.task), now);
                task.returned = true;
                effect.returned.push(id.clone());
            }
            None => effect.refused.push(id.clone()),
        }
    }
    Some(effect)
}

/// The report on an open task. Gives how the task stood, which may be another status than it has now.
fn take(task: &mut RoadmapTask, report: &Report, deferred: &mut Vec<String>, now: i64) -> Status {
    let said = report.status.unwrap_or(Status::InProgress);
    if said == Status::Done {
        task.finish(&report.reason, now);
        return said;
    }
    (task.status, task.returned) = (said, false);
    task.blockers.clone_from(&report.blockers);
    // Why a human was called is still true.
    let reason =
        if task.escalation == Escalation::None { report.reason.clone() } else { task.reason.clone() };
    task.because(&reason, now);
    // Put off once: whoever is blocked by it again has not understood, and that is for the detector to see.
    let checks: Option<Vec<String>> = report.blockers.iter().map(|blocker| unavailable(blocker)).collect();
    let checks = checks.filter(|checks| !checks.is_empty());
    if let Some(checks) = checks.filter(|checks| checks.iter().any(|check| !task.deferred.contains(check))) {
        task.status = Status::Pending;
        task.blockers.clear();
        deferred.extend(checks.into_iter().filter(|check| !task.deferred.contains(check)));
        task.deferred.extend(deferred.iter().cloned());
        let reason = format!("not available, to be made later: {}", deferred.join(", "));
        task.because(&reason, now);
    }
    said
}

/// The checker that a blocker says is not available, such as `critic:design_system`.
fn unavailable(blocker: &str) -> Option<String> {
    let blocker = blocker.trim().to_lowercase();
    let named = CHECKERS.iter().any(|prefix| blocker.starts_with(prefix));
    let missing = UNAVAILABLE.iter().any(|word| blocker.contains(word));
    let name = blocker.split_whitespace().next()?.trim_end_matches([',', '.', ';']);
    (named && missing && !name.ends_with(':')).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks() -> Vec<RoadmapTask> {
        ["a", "b"].map(|id| RoadmapTask { id: id.to_owned(), ..RoadmapTask::default() }).into()
    }

    fn blocked(by: &[&str]) -> Report {
        let blockers = by.iter().map(|blocker| (*blocker).to_owned()).collect();
        Report { task: "a".into(), status: Some(Status::Blocked), blockers, ..Report::default() }
    }

    #[test]
    fn a_task_blocked_only_by_a_checker_that_is_not_there_is_open_again_and_the_check_put_off() {
        let mut all = tasks();
        let effect = apply(&mut all, &blocked(&["critic:design_system unavailable"]), 1).unwrap();
        assert_eq!(
            (effect.status, effect.deferred),
            (Status::Blocked, vec!["critic:design_system".to_owned()])
        );
        assert_eq!((all[0].status, all[0].blockers.len()), (Status::Pending, 0));
        // It stays blocked if that did not help, and where something else stands in its way as well.
        let effect = apply(&mut all, &blocked(&["Critic:design_system unavailable"]), 2).unwrap();
        assert_eq!((effect.deferred.len(), all[0].status), (0, Status::Blocked));
        let both = blocked(&["critic:leakage unavailable", "missing auth token"]);
        let effect = apply(&mut all, &both, 3).unwrap();
        assert_eq!((effect.deferred.len(), all[0].status), (0, Status::Blocked));
        all[0].finish("", 4);
        assert_eq!((all[0].standing(), all[0].deferred.len()), ("done, check deferred", 1));
    }

    #[test]
    fn other_blockers_are_no_checkers() {
        for blocker in ["missing auth token", "critic:style found 3 mistakes", "critic: unavailable", ""] {
            assert_eq!(unavailable(blocker), None, "{blocker}");
        }
        assert_eq!(unavailable("checker:lint is not available").as_deref(), Some("checker:lint"));
    }

    #[test]
    fn what_is_sent_back_is_open_again_unless_it_is_closed_for_good() {
        let mut all = tasks();
        all[1].finish("", 1);
        let send_back = vec!["b".to_owned(), "a".to_owned(), "x".to_owned()];
        let report = Report { send_back, ..blocked(&[]) };
        let effect = apply(&mut all, &report, 2).unwrap();
        assert_eq!((effect.returned, effect.refused), (vec!["b".to_owned()], vec!["x".to_owned()]));
        assert!(all[1].is_open() && all[1].returned && all[1].reason == "sent back by a");
        (all[1].status, all[1].forced) = (Status::Done, true);
        assert_eq!(apply(&mut all, &report, 3).unwrap().refused, ["b", "x"]);
        assert!(all[1].forced);
    }

    #[test]
    fn a_closed_task_stays_closed_whatever_is_said_of_it() {
        let mut all = tasks();
        all[0].finish("", 1);
        let effect = apply(&mut all, &blocked(&["x"]), 2).unwrap();
        assert_eq!((effect.status, all[0].status, all[0].changed), (Status::Done, Status::Done, 1));
        assert_eq!(apply(&mut all, &Report { task: "z".into(), ..Report::default() }, 2), None);
    }
}
