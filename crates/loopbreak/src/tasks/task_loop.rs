//! Whether the attempts at a task go round in circles.

use serde::Serialize;
use serde_json::{Value, json};

use super::task_history::{NOTHING, TaskAttempt, TaskHistory};
use crate::detectors::Pattern;
use crate::memory::{Key, key_of_parts};
use crate::settings::TaskSettings;

/// In which way a task goes round in circles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskPattern {
    /// A task that is done is attempted again and again.
    CompletedTaskRevisit,
    /// The same blockers again and again, and no new work.
    BlockedTaskSpin,
    /// The same work again and again.
    NoProgressRepeat,
}

impl TaskPattern {
    /// The name in all output.
    pub fn as_str(self) -> &'static str {
        match self {
            TaskPattern::CompletedTaskRevisit => "completed_task_revisit",
            TaskPattern::BlockedTaskSpin => "blocked_task_spin",
            TaskPattern::NoProgressRepeat => "no_progress_repeat",
        }
    }
}

impl From<TaskPattern> for Pattern {
    fn from(pattern: TaskPattern) -> Self {
        match pattern {
            TaskPattern::CompletedTaskRevisit => Pattern::CompletedTaskRevisit,
            TaskPattern::BlockedTaskSpin => Pattern::BlockedTaskSpin,
            TaskPattern::NoProgressRepeat => Pattern::NoProgressRepeat,
        }
    }
}

impl TryFrom<Pattern> for TaskPattern {
    type Error = Pattern;

    /// Returns the pattern itself as the error where it is not one of tasks.
    fn try_from(pattern: Pattern) -> Result<Self, Pattern> {
        match pattern {
            Pattern::CompletedTaskRevisit => Ok(TaskPattern::CompletedTaskRevisit),
            Pattern::BlockedTaskSpin => Ok(TaskPattern::BlockedTaskSpin),
            Pattern::NoProgressRepeat => Ok(TaskPattern::NoProgressRepeat),
            other => Err(other),
        }
    }
}

/// A task that goes round in circles.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskLoop {
    /// In which way.
    pub pattern: TaskPattern,
    /// How many attempts inside the window there were.
    pub attempts: u32,
    /// The turn of the first attempt of those that show it.
    pub since: u64,
}

impl TaskHistory {
    /// Judges the attempts inside the window that ends now.
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
        // The oldest is the baseline: whether it was new itself does not matter.
        let grew = last[..last.len() - 1].iter().any(|attempt| attempt.grew);
        let same_work = last.iter().all(|attempt| attempt.work == newest.work);
        let pattern = if newest.status == "done" {
            TaskPattern::CompletedTaskRevisit
        } else if same_blockers && newest.blockers != NOTHING && !grew {
            TaskPattern::BlockedTaskSpin
        } else if same_blockers && same_work {
            TaskPattern::NoProgressRepeat
        } else {
            return None;
        };
        Some(TaskLoop { pattern, attempts: total as u32, since: oldest.turn })
    }

    /// What the attempts of a loop have in common: other blockers or other work are another loop.
    pub(crate) fn content(&self, pattern: TaskPattern) -> Key {
        let newest = self.attempts.last().map_or((NOTHING, NOTHING), |last| (last.blockers, last.work));
        match pattern {
            TaskPattern::CompletedTaskRevisit => NOTHING,
            TaskPattern::BlockedTaskSpin => newest.0,
            TaskPattern::NoProgressRepeat => key_of_parts(&[newest.0, newest.1]),
        }
    }

    /// What a judgement rests on: times, status, blockers and sessions of the last attempts, oldest first.
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
