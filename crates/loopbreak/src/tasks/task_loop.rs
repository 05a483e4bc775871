//! Detects loops in the attempts at a task.

use serde_json::{Value, json};

use super::task_history::{TaskAttempt, TaskHistory};
use crate::detectors::Pattern;
use crate::memory::{HashKey, key_of_parts};
use crate::name_enum::name_enum;
use crate::settings::TaskSettings;

name_enum! {
    /// The kind of a task loop.
    "task pattern" pub enum TaskPattern {
        /// A completed task is attempted again.
        CompletedTaskRevisit = "completed_task_revisit",
        /// Attempts have the same blockers and no new work.
        BlockedTaskSpin = "blocked_task_spin",
        /// Attempts do the same work.
        NoProgressRepeat = "no_progress_repeat",
        /// Tasks are attempted in turn, or send each other back, without anything new.
        TaskCycle = "task_cycle",
    }
}

impl From<TaskPattern> for Pattern {
    fn from(pattern: TaskPattern) -> Self {
        match pattern {
            TaskPattern::CompletedTaskRevisit => Pattern::CompletedTaskRevisit,
            TaskPattern::BlockedTaskSpin => Pattern::BlockedTaskSpin,
            TaskPattern::NoProgressRepeat => Pattern::NoProgressRepeat,
            TaskPattern::TaskCycle => Pattern::TaskCycle,
        }
    }
}

impl TryFrom<Pattern> for TaskPattern {
    type Error = Pattern;

    /// Returns the pattern itself as the error if it is not a task pattern.
    fn try_from(pattern: Pattern) -> Result<Self, Pattern> {
        match pattern {
            Pattern::CompletedTaskRevisit => Ok(TaskPattern::CompletedTaskRevisit),
            Pattern::BlockedTaskSpin => Ok(TaskPattern::BlockedTaskSpin),
            Pattern::NoProgressRepeat => Ok(TaskPattern::NoProgressRepeat),
            Pattern::TaskCycle => Ok(TaskPattern::TaskCycle),
            other => Err(other),
        }
    }
}

/// A loop in the attempts at a task.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskLoop {
    /// Kind of the loop.
    pub pattern: TaskPattern,
    /// Number of attempts inside the window.
    pub attempts: u32,
    /// Turn of the first attempt that is part of the loop.
    pub since: u64,
}

impl TaskHistory {
    /// Detects a loop in the attempts inside the window that ends now.
    pub(crate) fn judge(&self, settings: &TaskSettings, now: Option<i64>) -> Option<TaskLoop> {
        let needed = settings.max_attempts as usize;
        let window = settings.attempt_window.millis;
        let total = self.recent(now, window).count();
        if total < needed {
            return None;
        }
        let last: Vec<&TaskAttempt> = self.recent(now, window).take(needed).collect();
        let newest = last.first()?;
        let oldest = last.last()?;
        if last.iter().any(|attempt| attempt.status != newest.status) {
            return None;
        }
        let same_blockers = last.iter().all(|attempt| attempt.blockers == newest.blockers);
        // The oldest attempt is the baseline. Its own work does not count as growth.
        let grew = last[..last.len() - 1].iter().any(|attempt| attempt.grew);
        let same_work = last.iter().all(|attempt| attempt.work == newest.work);
        let pattern = if *newest.status == *"done" {
            TaskPattern::CompletedTaskRevisit
        } else if same_blockers && newest.blockers != HashKey::NONE && !grew {
            TaskPattern::BlockedTaskSpin
        } else if same_blockers && same_work {
            TaskPattern::NoProgressRepeat
        } else {
            return None;
        };
        Some(TaskLoop { pattern, attempts: total as u32, since: oldest.turn })
    }

    /// Returns the key of the blockers or the work that the attempts of a loop share. Other blockers or other
    /// work form another loop.
    pub(crate) fn content(&self, pattern: TaskPattern) -> HashKey {
        let newest =
            self.attempts.last().map_or((HashKey::NONE, HashKey::NONE), |last| (last.blockers, last.work));
        match pattern {
            TaskPattern::CompletedTaskRevisit | TaskPattern::TaskCycle => HashKey::NONE,
            TaskPattern::BlockedTaskSpin => newest.0,
            TaskPattern::NoProgressRepeat => key_of_parts(&[newest.0, newest.1]),
        }
    }

    /// Returns the evidence of a loop: times, status, blockers and sessions of the last attempts, oldest first.
    pub(crate) fn evidence(&self, settings: &TaskSettings) -> Value {
        let mut attempts: Vec<Value> = self
            .attempts
            .newest()
            .take(settings.max_attempts as usize)
            .map(|attempt| json!({"turn": attempt.turn, "at": attempt.at, "status": attempt.status, "session": attempt.session}))
            .collect();
        attempts.reverse();
        json!({"task": self.id, "blockers": self.blockers, "attempts": attempts})
    }
}
