//! The tasks of one run, as a store for the calls about tasks. Those calls are written for the store of the hooks; here the run
//! lives in memory, and what they change is taken out again.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use loopbreak::detectors::SharedSpending;
use loopbreak_store::tasks::RoadmapTask;
use loopbreak_store::{
    EventCount, Run, RunChange, RunKey, RunLock, RunRecords, RunTransaction, SessionCost, Store, StoreError,
    StoredAttempt, StoredContextEntry, StoredEvent, StoredRecovery, StoredTask,
};
use serde::{Deserialize, Serialize};

/// Largest number of tasks of a run that are kept.
const MAX_TASKS: usize = 5000;

/// The tasks of a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct RunTasks {
    /// The roadmap.
    pub(crate) roadmap: Vec<RoadmapTask>,
    /// The last attempt at each task, with its number.
    attempts: BTreeMap<String, StoredAttempt>,
}

impl RunTasks {
    /// Adds what a call or a step recorded.
    pub(crate) fn add(&mut self, records: &RunRecords) {
        for attempt in &records.attempts {
            let number = self.attempts.get(&attempt.task).map_or(0, |last| last.number) + 1;
            self.attempts.insert(attempt.task.clone(), StoredAttempt { number, ..attempt.clone() });
        }
        for task in &records.roadmap {
            match self.roadmap.iter_mut().find(|known| known.id == task.id) {
                Some(known) => known.clone_from(task),
                None => self.roadmap.push(task.clone()),
            }
        }
        let surplus = self.roadmap.len().saturating_sub(MAX_TASKS);
        for removed in self.roadmap.drain(..surplus) {
            self.attempts.remove(&removed.id);
        }
    }

    /// Returns whether the run has tasks.
    pub(crate) fn is_empty(&self) -> bool {
        self.roadmap.is_empty() && self.attempts.is_empty()
    }
}

/// The content of a [`TaskStore`].
#[derive(Debug)]
pub(crate) struct TaskContent {
    pub(crate) state: Option<String>,
    pub(crate) tasks: RunTasks,
    /// True if a call changed it.
    pub(crate) changed: bool,
}

/// A store with one run. Clones share its content.
#[derive(Clone, Debug)]
pub(crate) struct TaskStore {
    content: Arc<Mutex<TaskContent>>,
    run: Run,
}

impl TaskStore {
    /// Creates the store of a run that the calls know under this name.
    pub(crate) fn new(source: &str, name: &str, state: Option<String>, tasks: RunTasks) -> Self {
        let run = Run {
            id: 1,
            source: source.to_owned(),
            session: name.to_owned(),
            agent: String::new(),
            folder: String::new(),
            started: 0,
            seen: 0,
            ended: None,
            events: 0,
        };
        TaskStore { content: Arc::new(Mutex::new(TaskContent { state, tasks, changed: false })), run }
    }

    /// Returns the content.
    pub(crate) fn content(&self) -> MutexGuard<'_, TaskContent> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for TaskStore {
    fn state(&self, _: &RunKey) -> Result<Option<String>, StoreError> {
        Ok(self.content().state.clone())
    }

    fn begin(&mut self, _: &RunKey, _: &str, _: i64) -> Result<Box<dyn RunTransaction + '_>, StoreError> {
        let state = self.content().state.clone();
        Ok(Box::new(TaskTransaction { store: self, state }))
    }

    fn lock(&self, _: &RunKey) -> Result<Option<RunLock>, StoreError> {
        Ok(None)
    }

    fn refresh(&mut self) -> Result<bool, StoreError> {
        Ok(false)
    }

    fn restart_run(&mut self, _: &RunKey) -> Result<(), StoreError> {
        let mut content = self.content();
        (content.state, content.tasks, content.changed) = (None, RunTasks::default(), true);
        Ok(())
    }

    fn put_aside(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    fn runs(&self, _: i64, _: usize) -> Result<Vec<Run>, StoreError> {
        Ok(vec![self.run.clone()])
    }

    fn run(&self, key: &RunKey) -> Result<Option<Run>, StoreError> {
        Ok((self.run.key() == *key).then(|| self.run.clone()))
    }

    fn find(&self, session: &str) -> Result<Vec<Run>, StoreError> {
        Ok(if self.run.session == session { vec![self.run.clone()] } else { Vec::new() })
    }

    fn events(&self, _: &Run) -> Result<Vec<StoredEvent>, StoreError> {
        Ok(Vec::new())
    }

    fn last_event(&self, _: &Run, _: &str) -> Result<Option<StoredEvent>, StoreError> {
        Ok(None)
    }

    fn event_counts(&self, _: &Run) -> Result<Vec<EventCount>, StoreError> {
        Ok(Vec::new())
    }

    fn tasks(&self, _: &Run) -> Result<Vec<StoredTask>, StoreError> {
        Ok(Vec::new())
    }

    fn roadmap(&self, _: &Run) -> Result<Vec<RoadmapTask>, StoreError> {
        let mut tasks = self.content().tasks.roadmap.clone();
        tasks.sort_by(|one, other| (one.position, &one.id).cmp(&(other.position, &other.id)));
        Ok(tasks)
    }

    fn attempts(&self, _: &Run) -> Result<Vec<StoredAttempt>, StoreError> {
        Ok(self.content().tasks.attempts.values().cloned().collect())
    }

    fn last_attempt(&self, _: &Run, task: &str) -> Result<Option<(u64, i64)>, StoreError> {
        Ok(self.content().tasks.attempts.get(task).map(|last| (last.number, last.at)))
    }

    fn context(&self, _: &Run) -> Result<Vec<StoredContextEntry>, StoreError> {
        Ok(Vec::new())
    }

    /// Budgets over several sessions are counted by the hooks of one user. The calls about tasks neither ask for them nor add to them.
    fn spending(&self, _: &str, _: i64) -> Result<SharedSpending, StoreError> {
        Ok(SharedSpending::default())
    }

    fn record_costs(&mut self, _: &[SessionCost], _: i64) -> Result<(), StoreError> {
        Ok(())
    }

    fn recoveries(&self, _: &Run) -> Result<Vec<StoredRecovery>, StoreError> {
        Ok(Vec::new())
    }
}

/// A change of the run.
struct TaskTransaction<'s> {
    store: &'s TaskStore,
    state: Option<String>,
}

impl RunTransaction for TaskTransaction<'_> {
    fn state(&self) -> Option<&str> {
        self.state.as_deref()
    }

    fn roadmap(&self) -> Result<Vec<RoadmapTask>, StoreError> {
        self.store.roadmap(&self.store.run)
    }

    fn commit(self: Box<Self>, change: RunChange) -> Result<(), StoreError> {
        let mut content = self.store.content();
        if let Some(state) = change.state {
            content.state = Some(state);
        }
        content.tasks.add(&change.records);
        content.changed = true;
        Ok(())
    }
}
