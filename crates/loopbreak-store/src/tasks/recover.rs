//! What a recovery does to a task.

use super::{Escalation, RoadmapTask, Status};

/// What is done about a task that goes round in circles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// It is closed, and never taken up again.
    ForceNext,
    /// Its blockers may be removed: it is open again.
    UnblockAuthority,
    /// A human is called.
    Escalate {
        /// Nothing but a human can help.
        left: bool,
    },
}

impl Remedy {
    /// The remedy for what the engine wants done about a pattern; nothing where it is none for a task. More attempts at a
    /// task without progress still decide something, for from some number of them on it is forced on; where blockers stood
    /// firm against authority, or tasks send each other back, more of the same is of no use.
    pub fn of(intervention: &str, pattern: &str) -> Option<Self> {
        match intervention {
            "force_next" => Some(Remedy::ForceNext),
            "unblock_authority" => Some(Remedy::UnblockAuthority),
            "escalate" => Some(Remedy::Escalate { left: pattern != "no_progress_repeat" }),
            _ => None,
        }
    }

    /// Does it.
    pub fn apply(self, task: &mut RoadmapTask, reason: &str, now: i64) {
        match self {
            Remedy::ForceNext => {
                (task.status, task.forced, task.returned) = (Status::Done, true, false);
            }
            Remedy::UnblockAuthority => {
                task.status = Status::Pending;
                task.blockers.clear();
            }
            // What is finished stays so, even if somebody has to look why it is visited again and again.
            Remedy::Escalate { .. } if task.is_finished() => {}
            Remedy::Escalate { left } => {
                (task.status, task.returned) = (Status::Blocked, false);
                // Called twice, and nothing came of it in between.
                let left = left || task.escalation != Escalation::None;
                task.escalation = if left { Escalation::Left } else { Escalation::Called };
            }
        }
        task.because(reason, now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(intervention: &str, pattern: &str, task: RoadmapTask) -> RoadmapTask {
        let mut task = task;
        Remedy::of(intervention, pattern).unwrap().apply(&mut task, "why", 7);
        assert_eq!((task.reason.as_str(), task.changed), ("why", 7));
        task
    }

    #[test]
    fn each_recovery_leaves_the_task_as_documented() {
        let blocked = || RoadmapTask {
            status: Status::Blocked,
            blockers: vec!["no token".into()],
            ..RoadmapTask::default()
        };
        let forced = after("force_next", "no_progress_repeat", blocked());
        assert!(forced.forced && forced.status == Status::Done && !forced.is_finished() && !forced.is_open());
        assert_eq!(forced.standing(), "forced");
        let granted = after("unblock_authority", "blocked_task_spin", blocked());
        assert!(granted.is_open() && granted.blockers.is_empty());
        let left = after("escalate", "blocked_task_spin", blocked());
        assert_eq!(
            (left.escalation, left.is_open(), left.standing()),
            (Escalation::Left, false, "escalated")
        );
        let called = after("escalate", "no_progress_repeat", blocked());
        assert_eq!((called.escalation, called.is_open()), (Escalation::Called, true));
        let again = after("escalate", "no_progress_repeat", called);
        assert_eq!(again.escalation, Escalation::Left);
        assert_eq!(Remedy::of("warn", "cycle"), None);
    }

    #[test]
    fn what_was_finished_stays_finished() {
        let mut done = RoadmapTask::default();
        done.finish("", 1);
        assert!(after("force_next", "completed_task_revisit", done.clone()).is_finished());
        assert!(after("escalate", "completed_task_revisit", done).is_finished());
    }
}
