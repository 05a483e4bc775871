//! Recoveries of looping tasks.

use loopbreak::{Intervention, Pattern};

use super::{RoadmapTask, TaskEscalation, TaskState};

/// A recovery of a looping task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TaskRemedy {
    /// The task is closed and never attempted again.
    ForceNext,
    /// The agent may remove the blockers: the task is open again.
    UnblockAuthority,
    /// A human is asked for help.
    Escalate {
        /// Only a human can help.
        left: bool,
    },
}

impl TaskRemedy {
    /// Returns the remedy for an intervention against a pattern, `None` if the intervention does not concern tasks.
    ///
    /// A task without progress is escalated and still attempted, because it is forced after a number of
    /// attempts. More attempts are useless if blockers remain in spite of the authority to remove them, or if
    /// tasks send each other back.
    pub fn new(intervention: Intervention, pattern: Pattern) -> Option<Self> {
        match intervention {
            Intervention::ForceNext => Some(TaskRemedy::ForceNext),
            Intervention::UnblockAuthority => Some(TaskRemedy::UnblockAuthority),
            Intervention::Escalate => {
                Some(TaskRemedy::Escalate { left: pattern != Pattern::NoProgressRepeat })
            }
            _ => None,
        }
    }

    /// Applies the remedy to a task.
    pub fn apply(self, task: &mut RoadmapTask, reason: &str, now: i64) {
        match self {
            TaskRemedy::ForceNext => {
                (task.status, task.forced, task.returned) = (TaskState::Done, true, false);
            }
            TaskRemedy::UnblockAuthority => {
                task.status = TaskState::Pending;
                task.blockers.clear();
            }
            // A finished task stays finished, even if a human has to find out why the agent keeps returning
            // to it.
            TaskRemedy::Escalate { .. } if task.is_finished() => {}
            TaskRemedy::Escalate { left } => {
                (task.status, task.returned) = (TaskState::Blocked, false);
                // The second escalation without a change in between.
                let left = left || task.escalation != TaskEscalation::None;
                task.escalation = if left { TaskEscalation::Left } else { TaskEscalation::Called };
            }
        }
        task.set_reason(reason, now);
    }
}

#[cfg(test)]
mod tests {
    use loopbreak::{Intervention, Pattern};

    use super::*;

    fn after(intervention: Intervention, pattern: Pattern, task: RoadmapTask) -> RoadmapTask {
        let mut task = task;
        TaskRemedy::new(intervention, pattern).unwrap().apply(&mut task, "why", 7);
        assert_eq!((task.reason.as_str(), task.changed), ("why", 7));
        task
    }

    #[test]
    fn each_recovery_leaves_the_task_as_documented() {
        let blocked = || RoadmapTask {
            status: TaskState::Blocked,
            blockers: vec!["no token".into()],
            ..RoadmapTask::default()
        };
        let forced = after(Intervention::ForceNext, Pattern::NoProgressRepeat, blocked());
        assert!(
            forced.forced && forced.status == TaskState::Done && !forced.is_finished() && !forced.is_open()
        );
        assert_eq!(forced.label(), "forced");
        let granted = after(Intervention::UnblockAuthority, Pattern::BlockedTaskSpin, blocked());
        assert!(granted.is_open() && granted.blockers.is_empty());
        let left = after(Intervention::Escalate, Pattern::BlockedTaskSpin, blocked());
        assert_eq!(
            (left.escalation, left.is_open(), left.label()),
            (TaskEscalation::Left, false, "escalated")
        );
        let called = after(Intervention::Escalate, Pattern::NoProgressRepeat, blocked());
        assert_eq!((called.escalation, called.is_open()), (TaskEscalation::Called, true));
        let again = after(Intervention::Escalate, Pattern::NoProgressRepeat, called);
        assert_eq!(again.escalation, TaskEscalation::Left);
        assert_eq!(TaskRemedy::new(Intervention::Warn, Pattern::Cycle), None);
    }

    #[test]
    fn a_finished_task_stays_finished() {
        let mut done = RoadmapTask::default();
        done.finish("", 1);
        assert!(after(Intervention::ForceNext, Pattern::CompletedTaskRevisit, done.clone()).is_finished());
        assert!(after(Intervention::Escalate, Pattern::CompletedTaskRevisit, done).is_finished());
    }
}
