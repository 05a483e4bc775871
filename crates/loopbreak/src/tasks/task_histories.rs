//! The histories of all tasks.

use super::TaskHistory;
use super::task_history::ID_BYTES;
use crate::memory::{HashKey, LruMap, key_of, snapshot_type};
use crate::settings::TaskSettings;
use crate::step::Task;
use crate::text::clip::clip_escaped;

/// Largest number of tasks that a guard or a series keeps.
const TASKS: usize = 1024;

snapshot_type! {
    /// The histories of the most recently attempted tasks.
    #[derive(Clone, Debug, Default)]
    #[serde(transparent)]
    pub(crate) struct TaskHistories(LruMap<TaskHistory, TASKS>);
}

/// Limits of the number of tasks, and of attempts at all of them together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HistoryBounds {
    pub(crate) tasks: usize,
    pub(crate) attempts: usize,
}

impl TaskHistories {
    /// Records an attempt and returns the history of its task.
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
        let attempts = |tasks: &LruMap<TaskHistory, TASKS>| {
            tasks.iter().map(|(_, history)| history.attempts.len()).sum::<usize>()
        };
        while self.0.len() > kept.tasks || (self.0.len() > 1 && attempts(&self.0) > kept.attempts) {
            self.0.pop_oldest();
        }
        // The newest task is never dropped.
        self.0.touch_or_insert(key, TaskHistory::default)
    }

    /// Returns the key of a task.
    pub(crate) fn key(id: &str) -> HashKey {
        key_of(clip_escaped(id, ID_BYTES))
    }

    /// Returns the history of the task with this key.
    pub(crate) fn by_key(&self, key: HashKey) -> Option<&TaskHistory> {
        self.0.peek(key)
    }

    /// Returns the history of a task.
    pub(crate) fn history(&self, id: &str) -> Option<&TaskHistory> {
        self.0.peek(Self::key(id))
    }

    /// Returns the history of a task, and marks it as the most recently used.
    pub(crate) fn history_mut(&mut self, id: &str) -> Option<&mut TaskHistory> {
        self.0.touch(Self::key(id))
    }

    /// Forgets the attempts at a task.
    pub(crate) fn clear(&mut self, id: &str) {
        if let Some(history) = self.history_mut(id) {
            history.clear();
        }
    }

    /// Makes every loop count as new again, after a message from the user.
    pub(crate) fn forget_reports(&mut self) {
        self.0.values_mut().for_each(TaskHistory::forget_report);
    }

    /// Returns all histories, the least recently attempted first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (HashKey, &TaskHistory)> {
        self.0.iter()
    }
}
