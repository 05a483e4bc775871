//! Reports on tasks.

use super::{RoadmapTask, TaskEscalation, TaskState};

/// Prefixes of blockers that name a checker.
const CHECKERS: [&str; 3] = ["critic:", "checker:", "check:"];
/// Words that say that a checker is not available.
const UNAVAILABLE: [&str; 4] = ["unavailable", "not available", "unreachable", "offline"];

/// A report on an attempt at a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskReport {
    /// Id of the task.
    pub task: String,
    /// New status, if the report has one.
    pub status: Option<TaskState>,
    /// Blockers of the task.
    pub blockers: Vec<String>,
    /// Work that was done.
    pub work: Vec<String>,
    /// Tasks that have to be done again.
    pub send_back: Vec<String>,
    /// Reason for the status.
    pub reason: String,
}

/// The effect of a report beyond its task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReportEffect {
    /// Status at the end of the attempt, as the detector sees it.
    pub status: TaskState,
    /// Checks that were deferred, so that the task is no longer blocked.
    pub deferred: Vec<String>,
    /// Tasks that were sent back and are open again.
    pub returned: Vec<String>,
    /// Tasks that could not be sent back: they are forced, left to a human, or unknown.
    pub refused: Vec<String>,
}

/// Applies a report. Returns `None` if the task is unknown. A closed task stays closed unless another task
/// sends it back.
pub fn apply_report(tasks: &mut [RoadmapTask], report: &TaskReport, now: i64) -> Option<ReportEffect> {
    let task = tasks.iter_mut().find(|task| task.id == report.task)?;
    let mut effect = ReportEffect::default();
    if task.is_open() {
        effect.status = apply_to_open(task, report, &mut effect.deferred, now);
    } else {
        effect.status = task.status;
    }
    for id in report.send_back.iter().filter(|id| **id != report.task) {
        let back = tasks.iter_mut().find(|task| task.id == *id);
        match back.filter(|task| !task.forced && task.escalation != TaskEscalation::Left) {
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

/// Applies a report to an open task. Returns the reported status, which may differ from the new one.
fn apply_to_open(
    task: &mut RoadmapTask,
    report: &TaskReport,
    deferred: &mut Vec<String>,
    now: i64,
) -> TaskState {
    let reported = report.status.unwrap_or(TaskState::InProgress);
    if reported == TaskState::Done {
        task.finish(&report.reason, now);
        return reported;
    }
    (task.status, task.returned) = (reported, false);
    task.blockers.clone_from(&report.blockers);
    // The reason of an escalation still holds.
    let reason =
        if task.escalation == TaskEscalation::None { report.reason.clone() } else { task.reason.clone() };
    task.set_reason(&reason, now);
    // A check is deferred once. If it blocks the task again, the detector has to see it.
    let checks: Option<Vec<String>> =
        report.blockers.iter().map(|blocker| unavailable_checker(blocker)).collect();
    let checks = checks.filter(|checks| !checks.is_empty());
    if let Some(checks) = checks.filter(|checks| checks.iter().any(|check| !task.deferred.contains(check))) {
        task.status = TaskState::Pending;
        task.blockers.clear();
        deferred.extend(checks.into_iter().filter(|check| !task.deferred.contains(check)));
        task.deferred.extend(deferred.iter().cloned());
        let reason = format!("check not available, deferred: {}", deferred.join(", "));
        task.set_reason(&reason, now);
    }
    reported
}

/// Returns the checker that is not available according to a blocker, such as `critic:design_system`.
fn unavailable_checker(blocker: &str) -> Option<String> {
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

    fn blocked(by: &[&str]) -> TaskReport {
        let blockers = by.iter().map(|blocker| (*blocker).to_owned()).collect();
        TaskReport { task: "a".into(), status: Some(TaskState::Blocked), blockers, ..TaskReport::default() }
    }

    #[test]
    fn a_task_blocked_only_by_an_unavailable_checker_reopens_with_the_check_deferred() {
        let mut all = tasks();
        let effect = apply_report(&mut all, &blocked(&["critic:design_system unavailable"]), 1).unwrap();
        assert_eq!(
            (effect.status, effect.deferred),
            (TaskState::Blocked, vec!["critic:design_system".to_owned()])
        );
        assert_eq!((all[0].status, all[0].blockers.len()), (TaskState::Pending, 0));
        // It stays blocked the second time, and if there is another blocker.
        let effect = apply_report(&mut all, &blocked(&["Critic:design_system unavailable"]), 2).unwrap();
        assert_eq!((effect.deferred.len(), all[0].status), (0, TaskState::Blocked));
        let both = blocked(&["critic:leakage unavailable", "missing auth token"]);
        let effect = apply_report(&mut all, &both, 3).unwrap();
        assert_eq!((effect.deferred.len(), all[0].status), (0, TaskState::Blocked));
        all[0].finish("", 4);
        assert_eq!((all[0].label(), all[0].deferred.len()), ("done, check deferred", 1));
    }

    #[test]
    fn other_blockers_are_not_checkers() {
        for blocker in ["missing auth token", "critic:style found 3 mistakes", "critic: unavailable", ""] {
            assert_eq!(unavailable_checker(blocker), None, "{blocker}");
        }
        assert_eq!(unavailable_checker("checker:lint is not available").as_deref(), Some("checker:lint"));
    }

    #[test]
    fn a_task_that_is_sent_back_reopens_unless_it_was_forced() {
        let mut all = tasks();
        all[1].finish("", 1);
        let send_back = vec!["b".to_owned(), "a".to_owned(), "x".to_owned()];
        let report = TaskReport { send_back, ..blocked(&[]) };
        let effect = apply_report(&mut all, &report, 2).unwrap();
        assert_eq!((effect.returned, effect.refused), (vec!["b".to_owned()], vec!["x".to_owned()]));
        assert!(all[1].is_open() && all[1].returned && all[1].reason == "sent back by a");
        (all[1].status, all[1].forced) = (TaskState::Done, true);
        assert_eq!(apply_report(&mut all, &report, 3).unwrap().refused, ["b", "x"]);
        assert!(all[1].forced);
    }

    #[test]
    fn a_closed_task_ignores_reports() {
        let mut all = tasks();
        all[0].finish("", 1);
        let effect = apply_report(&mut all, &blocked(&["x"]), 2).unwrap();
        assert_eq!((effect.status, all[0].status, all[0].changed), (TaskState::Done, TaskState::Done, 1));
        assert_eq!(
            apply_report(&mut all, &TaskReport { task: "z".into(), ..TaskReport::default() }, 2),
            None
        );
    }
}
