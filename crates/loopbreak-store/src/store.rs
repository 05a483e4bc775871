//! What a store can do, whatever database stands behind it.

use serde::Serialize;

use crate::tasks::RoadmapTask;
use crate::{Attempt, ContextEntry, Records, Recovery, Task};

/// Which run: the agent program, its session, and the subagent in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RunKey {
    /// The program, such as `claude-code`.
    pub source: String,
    /// Its session, as the program names it. Any text: it is never part of a path.
    pub session: String,
    /// The subagent; empty for the main one.
    pub agent: String,
}

/// A run as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Run {
    /// Its number in this store.
    #[serde(skip)]
    pub id: i64,
    /// The program.
    pub source: String,
    /// Its session.
    pub session: String,
    /// The subagent; empty for the main one.
    pub agent: String,
    /// The folder it works in.
    pub folder: String,
    /// When it was first seen, in milliseconds since 1970.
    pub started: i64,
    /// When it was last seen.
    pub seen: i64,
    /// When it ended, if it said so.
    pub ended: Option<i64>,
    /// How many events were recorded.
    pub events: u64,
}

impl Run {
    /// The key it is found by.
    pub fn key(&self) -> RunKey {
        let Run { source, session, agent, .. } = self.clone();
        RunKey { source, session, agent }
    }
}

/// Something that happened in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its number in the run, from 1.
    pub number: u64,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// What kind of event, such as `step`, `refused`, `user`, `stop`.
    pub kind: String,
    /// The rest, as one JSON object.
    pub detail: String,
}

/// What changes in a run at once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Change {
    /// The guard put away again; nothing leaves the one that is there.
    pub snapshot: Option<String>,
    /// What happened, in order: the kind of each event, and the rest of it as one JSON object.
    pub events: Vec<(String, String)>,
    /// Tasks, attempts, context entries and recoveries.
    pub records: Records,
    /// The run is over.
    pub ended: bool,
}

impl Change {
    /// One event, and nothing else.
    pub fn event(kind: impl Into<String>, detail: impl Into<String>) -> Self {
        Change { events: vec![(kind.into(), detail.into())], ..Change::default() }
    }
}

/// What can go wrong with a store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// It could not be reached in time.
    #[error("the store is busy: others have kept it locked for too long")]
    Busy,
    /// It was written by a later version.
    #[error("the store is of version {found}, this Loopbreak knows up to {known}: update it")]
    TooNew {
        /// The version that was found.
        found: u32,
        /// The last version that is known.
        known: u32,
    },
    /// It is damaged.
    #[error("the store is damaged: {0}")]
    Damaged(String),
    /// A folder or file cannot be made or moved.
    #[error("cannot use {path}: {error}")]
    File {
        /// The folder or file.
        path: String,
        /// Why.
        error: std::io::Error,
    },
    /// Anything else the database says.
    #[error("the store failed: {0}")]
    Database(String),
}

/// Runs and what happened in them. A server database can stand behind it as well as a file.
pub trait Store {
    /// What was put away of a run, if it is known. White space at its end is not kept.
    fn snapshot(&self, run: &RunKey) -> Result<Option<String>, StoreError>;

    /// Changes a run as one step that nobody can come between: what was put away is given to `change`, and what that
    /// returns is written, both under one lock. A run that is not known is begun. Nothing is written where `change`
    /// returns nothing. `change` is called once.
    fn update<F>(&mut self, run: &RunKey, folder: &str, now: i64, change: F) -> Result<(), StoreError>
    where
        F: FnOnce(Option<&str>) -> Option<Change>;

    /// The same for whoever changes tasks: `change` is also given the roadmap as [`Store::roadmap`] tells it, read under the
    /// same lock. What somebody else made of a task meanwhile is there, and is not written over unseen.
    fn update_tasks<F>(&mut self, run: &RunKey, folder: &str, now: i64, change: F) -> Result<(), StoreError>
    where
        F: FnOnce(Option<&str>, Vec<RoadmapTask>) -> Option<Change>;

    /// The runs seen since then, the latest first, at most so many.
    fn runs(&self, since: i64, most: usize) -> Result<Vec<Run>, StoreError>;

    /// The run of this key, if it is known.
    fn run(&self, run: &RunKey) -> Result<Option<Run>, StoreError>;

    /// The runs whose session begins with this text, the latest first.
    fn find(&self, session: &str) -> Result<Vec<Run>, StoreError>;

    /// What happened in a run, in order.
    fn events(&self, run: &Run) -> Result<Vec<Event>, StoreError>;

    /// The tasks of a run, by their ids.
    fn tasks(&self, run: &Run) -> Result<Vec<Task>, StoreError>;

    /// The same tasks with what the roadmap says of them, in its order. Those that are in none come last.
    fn roadmap(&self, run: &Run) -> Result<Vec<RoadmapTask>, StoreError>;

    /// The attempts at the tasks of a run, by task and in order.
    fn attempts(&self, run: &Run) -> Result<Vec<Attempt>, StoreError>;

    /// How often a task of a run was attempted, and when last. Costs the same however often that was.
    fn last_attempt(&self, run: &Run, task: &str) -> Result<Option<(u64, i64)>, StoreError>;

    /// The context entries of a run, the oldest first.
    fn context(&self, run: &Run) -> Result<Vec<ContextEntry>, StoreError>;

    /// What was done to recover in a run, the oldest first.
    fn recoveries(&self, run: &Run) -> Result<Vec<Recovery>, StoreError>;
}
