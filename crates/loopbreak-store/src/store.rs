//! The interface that every backend implements.

use std::fmt;
use std::path::Path;

use loopbreak::detectors::SharedSpending;

use crate::tasks::RoadmapTask;
use crate::{
    EventCount, Run, RunChange, RunKey, RunLock, SessionCost, StepOutbox, StoreError, StoredAttempt,
    StoredContextEntry, StoredEvent, StoredRecovery, StoredTask,
};

/// A store of runs and their events. Get one with [`open`](crate::open).
pub trait Store: fmt::Debug + Send {
    /// Returns the state of a run as JSON, which [`RunState::parse`](crate::RunState::parse) reads. Trailing white space
    /// is not kept.
    fn state(&self, run: &RunKey) -> Result<Option<String>, StoreError>;

    /// Begins a change of a run. Until the transaction ends, no other process can change the store, so that no step is
    /// lost between reading the state and writing it. An unknown run is added on commit.
    fn begin(
        &mut self,
        run: &RunKey,
        folder: &str,
        now: i64,
    ) -> Result<Box<dyn RunTransaction + '_>, StoreError>;

    /// Locks a run for this process. Returns `None` if another process holds the lock.
    fn lock(&self, run: &RunKey) -> Result<Option<RunLock>, StoreError>;

    /// Opens the store again if its file was moved, removed or replaced since it was opened. Returns whether it was.
    /// [`begin`](Store::begin) does so by itself.
    fn refresh(&mut self) -> Result<bool, StoreError>;

    /// Removes everything that is stored of a run, so that it starts over.
    fn restart_run(&mut self, run: &RunKey) -> Result<(), StoreError>;

    /// Moves the damaged file of this store away and creates a new one, unless another process has already done so. See
    /// [`quarantined`](Store::quarantined).
    fn put_aside(&mut self) -> Result<(), StoreError>;

    /// Returns the new path of a damaged store that was found and moved away on opening.
    fn quarantined(&self) -> Option<&Path> {
        None
    }

    /// Returns the runs seen since a time, the latest first.
    fn runs(&self, since: i64, limit: usize) -> Result<Vec<Run>, StoreError>;

    /// Returns the run with this key.
    fn run(&self, run: &RunKey) -> Result<Option<Run>, StoreError>;

    /// Returns the runs whose session starts with a text, the latest first.
    fn find(&self, session: &str) -> Result<Vec<Run>, StoreError>;

    /// Returns the events of a run, in order.
    fn events(&self, run: &Run) -> Result<Vec<StoredEvent>, StoreError>;

    /// Returns the last event of a kind in a run.
    fn last_event(&self, run: &Run, kind: &str) -> Result<Option<StoredEvent>, StoreError>;

    /// Counts the events of a run by kind and answer, refused calls also by call. Events of the kinds `step` and `stop` that got no answer may be left
    /// out.
    fn event_counts(&self, run: &Run) -> Result<Vec<EventCount>, StoreError>;

    /// Returns the tasks of a run, sorted by id.
    fn tasks(&self, run: &Run) -> Result<Vec<StoredTask>, StoreError>;

    /// Returns the tasks of a run with their descriptions, in the order of the roadmap. Tasks that are not in a roadmap
    /// come last.
    fn roadmap(&self, run: &Run) -> Result<Vec<RoadmapTask>, StoreError>;

    /// Returns the attempts at the tasks of a run, sorted by task and number.
    fn attempts(&self, run: &Run) -> Result<Vec<StoredAttempt>, StoreError>;

    /// Returns the number of attempts at a task, and the time of the last one. The cost does not depend on the number.
    fn last_attempt(&self, run: &Run, task: &str) -> Result<Option<(u64, i64)>, StoreError>;

    /// Returns the context entries of a run, the oldest first.
    fn context(&self, run: &Run) -> Result<Vec<StoredContextEntry>, StoreError>;

    /// Adds up what was spent until a time: in a session, and in all sessions. The cost does not depend on the number of
    /// sessions.
    fn spending(&self, session: &str, now: i64) -> Result<SharedSpending, StoreError>;

    /// Records what sessions have cost. An adapter that changes runs records it with the change of the run instead.
    fn record_costs(&mut self, costs: &[SessionCost], now: i64) -> Result<(), StoreError>;

    /// Returns the recoveries of a run, the oldest first.
    fn recoveries(&self, run: &Run) -> Result<Vec<StoredRecovery>, StoreError>;

    /// Returns the steps that have to be sent to servers. `None` if this store keeps none.
    fn outbox(&mut self) -> Option<&mut dyn StepOutbox> {
        None
    }
}

/// A change of one run, isolated from all other processes. Dropping it without a commit changes nothing.
pub trait RunTransaction {
    /// Returns the state of the run as JSON, `None` for a new run.
    fn state(&self) -> Option<&str>;

    /// Returns the roadmap as [`Store::roadmap`] does. It cannot change before the transaction ends.
    fn roadmap(&self) -> Result<Vec<RoadmapTask>, StoreError>;

    /// Writes the change and ends the transaction.
    fn commit(self: Box<Self>, change: RunChange) -> Result<(), StoreError>;
}
