//! The run of a roadmap, and changes of its tasks by people and agents.

use crate::tasks::RoadmapTask;
use crate::{
    Run, RunChange, RunEvent, RunRecords, SelectSessionError, Store, StoreError, StoredAttempt,
    StoredContextEntry, StoredRecovery, TaskEvent, now, select_session,
};

/// Number of latest runs that are searched for one of a folder.
const SEARCHED_RUNS: usize = 1000;

/// A run with tasks.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RoadmapRun {
    /// The run.
    pub run: Run,
    /// Its tasks, in the order of the roadmap.
    pub tasks: Vec<RoadmapTask>,
}

/// The reason why a run with tasks cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RoadmapRunError {
    /// The name selects no run with tasks.
    #[error(transparent)]
    Select(#[from] SelectSessionError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl RoadmapRun {
    /// Finds the run with tasks that has this name or starts with it.
    pub fn find(store: &dyn Store, name: &str) -> Result<Self, RoadmapRunError> {
        let mut found = Vec::new();
        for run in store.find(name)? {
            if !store.roadmap(&run)?.is_empty() {
                found.push(run);
            }
        }
        let mut runs = select_session(found, name)?;
        // Other sources may have a run with this name. That of the runner has the roadmap.
        runs.sort_by_key(|run| run.source != "run");
        let run = runs.swap_remove(0);
        let tasks = store.roadmap(&run)?;
        Ok(RoadmapRun { run, tasks })
    }

    /// Finds the latest run in a folder that has tasks.
    pub fn latest_in(store: &dyn Store, folder: &str) -> Result<Option<Self>, RoadmapRunError> {
        for run in store.runs(i64::MIN, SEARCHED_RUNS)?.into_iter().filter(|run| run.folder == folder) {
            if !store.roadmap(&run)?.is_empty() {
                return RoadmapRun::find(store, &run.session).map(Some);
            }
        }
        Ok(None)
    }

    /// Changes one task, within one transaction: `change` gets the current tasks and returns the changed or added one.
    /// `action` describes the change in the log of the run, such as `done`. Returns the line in the log.
    pub fn change_task<E: From<StoreError>>(
        &self,
        store: &mut dyn Store,
        action: &str,
        change: impl FnOnce(&[RoadmapTask]) -> Result<RoadmapTask, E>,
    ) -> Result<String, E> {
        let transaction = store.begin(&self.run.key(), &self.run.folder, now())?;
        let task = change(&transaction.roadmap()?)?;
        let line = format!("task {}: {action}", task.id);
        let status = task.status.as_str().to_owned();
        let event = TaskEvent { action: line.clone(), task: task.id.clone(), status };
        transaction.commit(RunChange {
            records: RunRecords { roadmap: vec![task], ..RunRecords::default() },
            // A run that has ended stays ended.
            ended: self.run.ended.is_some(),
            ..RunEvent::Task(event).into()
        })?;
        Ok(line)
    }
}

/// Everything that is stored about one task besides the task itself.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct StoredTaskHistory {
    /// The attempts, in order.
    pub attempts: Vec<StoredAttempt>,
    /// The recoveries, the oldest first.
    pub recoveries: Vec<StoredRecovery>,
    /// The context entries, the oldest first.
    pub context: Vec<StoredContextEntry>,
}

impl StoredTaskHistory {
    /// Reads the history of a task of a run.
    pub fn load(store: &dyn Store, run: &Run, task: &str) -> Result<Self, StoreError> {
        let mut history = StoredTaskHistory {
            attempts: store.attempts(run)?,
            recoveries: store.recoveries(run)?,
            context: store.context(run)?,
        };
        history.attempts.retain(|attempt| attempt.task == task);
        // A recovery about a cycle names all its tasks.
        let names_task = |names: &str| names.split(", ").any(|name| name == task);
        history.recoveries.retain(|recovery| recovery.task.as_deref().is_some_and(names_task));
        history.context.retain(|entry| entry.related_tasks.iter().any(|related| related == task));
        Ok(history)
    }
}
