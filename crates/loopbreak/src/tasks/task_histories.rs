//! The histories of all tasks.

use serde::{Deserialize, Serialize};

use super::TaskHistory;
use super::task_history::ID_BYTES;
use crate::memory::{KEY_BYTES, Key, Lru, key_of};
use crate::settings::TaskSettings;
use crate::step::Task;
use crate::text::clip::clip_escaped;

/// The histories of the tasks attempted last.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct TaskHistories(Lru<TaskHistory>);

/// How much is kept: so many tasks, and so many attempts at all of them together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HistoryBounds {
    pub(crate) tasks: usize,
    pub(crate) attempts: usize,
}

impl TaskHistories {
    /// Records an attempt and gives the history it went into.
    pub(crate) fn record(
        &mut self,
        task: &Task<'_>,
        turn: u64,
        at: Option<i64>,
        settings: &TaskSettings,
        kept: HistoryBounds,
    ) -> &mut TaskHistory {
        let id = task.id.as_text();
        let id = clip_escaped(&id, ID_BYTES);
        let key = key_of(id);
        self.0.touch_or_insert(key, || TaskHistory::new(id)).record(task, turn, at, settings.capacity());
        let attempts =
            |tasks: &Lru<TaskHistory>| tasks.iter().map(|(_, history)| history.attempts.len()).sum::<usize>();
        while self.0.len() > kept.tasks || (self.0.len() > 1 && attempts(&self.0) > kept.attempts) {
            self.0.pop_oldest();
        }
        // The newest is never among those that went.
        self.0.touch_or_insert(key, TaskHistory::default)
    }

    /// The history of one task.
    pub(crate) fn history(&self, id: &str) -> Option<&TaskHistory> {
        self.0.peek(key_of(clip_escaped(id, ID_BYTES)))
    }

    /// The same, to be judged: this makes it the one that is kept longest.
    pub(crate) fn history_mut(&mut self, id: &str) -> Option<&mut TaskHistory> {
        self.0.touch(key_of(clip_escaped(id, ID_BYTES)))
    }

    /// Forgets the attempts at one task.
    pub(crate) fn clear(&mut self, id: &str) {
        if let Some(history) = self.history_mut(id) {
            history.clear();
        }
    }

    /// What it takes in a snapshot, at most, where a turn takes so many digits.
    pub(crate) fn bytes(&self, digits: usize) -> usize {
        2 + self.0.iter().map(|(_, history)| KEY_BYTES + history.bytes(digits)).sum::<usize>()
    }

    /// A human spoke: whatever is seen of any task now is news.
    pub(crate) fn forget_reports(&mut self) {
        self.0.values_mut().for_each(TaskHistory::forget_report);
    }

    /// All histories, least recently attempted first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Key, &TaskHistory)> {
        self.0.iter()
    }
}
