//! The store itself: opening and reading.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use loopbreak::detectors::SharedSpending;
use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, TransactionBehavior};

use super::connection::{connect, connect_to_read};
use super::event_reader::{read_event, read_events};
use super::migrations::refuse_later_version;
use super::prune::{DAY, remove_run};
use super::rows::{self, ROADMAP_COLUMNS, RUN_COLUMNS};
use super::store_file_id::StoreFileId;
use super::transaction::SqliteTransaction;
use super::{quarantine, run_lock_file, sibling, spending, store_error};
use crate::tasks::RoadmapTask;
use crate::{
    EventCount, Run, RunKey, RunLock, RunTransaction, SessionCost, StepOutbox, Store, StoreError,
    StoreOptions, StoredAttempt, StoredContextEntry, StoredEvent, StoredRecovery, StoredTask, now,
};

/// Size in bytes at which the write-ahead log is copied into the file. A process that opens the store after all others
/// have left reads the whole log first; copying it has to wait for the disk. At this size the two cost the same.
const LOG_BYTES: u64 = 600 * 1024;
/// Longest name that is stored, in bytes.
const NAME_BYTES: usize = 512;

/// A store in one SQLite file, which many processes may use at the same time.
///
/// A committed change is complete and visible to every other process, even if the process that made it is killed. It
/// is handed to the operating system and not forced onto the disk: after a power failure the last changes may be
/// missing, but the store is intact.
#[derive(Debug)]
pub(super) struct SqliteStore {
    pub(super) connection: Connection,
    pub(super) options: StoreOptions,
    path: PathBuf,
    /// The file that is open.
    identity: Option<StoreFileId>,
    quarantined: Option<PathBuf>,
}

impl SqliteStore {
    /// Opens the store, and creates it if there is none. A damaged file is quarantined.
    pub(super) fn open(path: &Path, options: StoreOptions) -> Result<Self, StoreError> {
        let first = SqliteStore::connect(path, options, None);
        // Another process may just have replaced the file: only damage that remains counts.
        if !first.as_ref().is_err_and(StoreError::is_damage) {
            return first;
        }
        let identity = StoreFileId::find(path);
        match SqliteStore::connect(path, options, None) {
            Err(error) if error.is_damage() => {
                let quarantined = quarantine::quarantine(path, identity, now(), options)?;
                SqliteStore::connect(path, options, quarantined)
            }
            second => second,
        }
    }

    /// Opens the file to read it. Changes nothing.
    pub(super) fn read(path: &Path, options: StoreOptions) -> Result<Self, StoreError> {
        let connection = connect_to_read(path, options)?;
        let identity = StoreFileId::find(path);
        Ok(SqliteStore { connection, options, path: path.to_owned(), identity, quarantined: None })
    }

    /// Quarantines the file if SQLite finds damage in it, and opens the store again.
    pub(super) fn repair(path: &Path, options: StoreOptions) -> Result<Self, StoreError> {
        let identity = StoreFileId::find(path);
        let quarantined = if quarantine::is_intact(path)? {
            None
        } else {
            quarantine::quarantine(path, identity, now(), options)?
        };
        SqliteStore::connect(path, options, quarantined)
    }

    /// Opens the file and remembers which one it is.
    fn connect(path: &Path, options: StoreOptions, quarantined: Option<PathBuf>) -> Result<Self, StoreError> {
        loop {
            crate::create_parent_folder(path)?;
            let before = StoreFileId::inspect(path)?;
            let connection = connect(path, before.is_some() || path.exists(), now(), options)?;
            let identity = StoreFileId::inspect(path)?;
            // If the file was replaced meanwhile, either of them may be open.
            if before.is_none() || before == identity {
                let path = path.to_owned();
                return Ok(SqliteStore { connection, options, path, identity, quarantined });
            }
        }
    }

    /// Returns whether the file at the path is the one that is open.
    pub(super) fn is_current(&self) -> bool {
        StoreFileId::find(&self.path) == self.identity
    }

    /// Lets the next operation wait as long as there is time.
    pub(super) fn limit_waiting(&self) -> Result<(), StoreError> {
        match self.options.deadline {
            Some(_) => self.connection.busy_timeout(self.options.waiting_time()).map_err(store_error),
            None => Ok(()),
        }
    }

    fn reopen(&mut self) -> Result<(), StoreError> {
        let quarantined = self.quarantined.take();
        *self = SqliteStore::open(&self.path, self.options)?;
        self.quarantined = self.quarantined.take().or(quarantined);
        Ok(())
    }

    fn select<T>(
        &self,
        sql: &str,
        values: impl rusqlite::Params,
        read: fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        select(&self.connection, sql, values, read)
    }

    fn select_runs(&self, rest: &str, values: impl rusqlite::Params) -> Result<Vec<Run>, StoreError> {
        let sql = format!("SELECT {RUN_COLUMNS} FROM runs JOIN guards ON run = id {rest}");
        // A row with values of another type belongs to one run, which starts over with its next step.
        let read = |row: &Row<'_>| Ok(rows::run(row).ok());
        Ok(self.select(&sql, values, read)?.into_iter().flatten().collect())
    }

    /// Copies the write-ahead log into the file if it has grown long. Only this makes it short again: SQLite's own
    /// checkpoints are forgotten with the last process, and the next one would read, and lengthen, the whole log.
    pub(super) fn shorten_log(&self) {
        let long = fs::metadata(sibling(&self.path, "-wal")).is_ok_and(|log| log.len() > LOG_BYTES);
        if long {
            // A later process tries again; none waits for it.
            let _ = self.connection.busy_timeout(Duration::ZERO);
            let _ = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(()));
            let _ = self.connection.busy_timeout(self.options.waiting_time());
        }
    }
}

impl Store for SqliteStore {
    fn state(&self, run: &RunKey) -> Result<Option<String>, StoreError> {
        self.limit_waiting()?;
        let RunKey { source, session, agent } = &clip_key(run);
        let state: Option<Option<String>> = self
            .connection
            .query_row(
                "SELECT state FROM guards JOIN runs ON run = id \
                 WHERE session = ?1 AND agent = ?2 AND source = ?3",
                (session, agent, source),
                |row| row.get(0),
            )
            .optional()
            .map_err(store_error)?;
        Ok(state.flatten().map(rows::unpad_state))
    }

    fn begin(
        &mut self,
        run: &RunKey,
        folder: &str,
        now: i64,
    ) -> Result<Box<dyn RunTransaction + '_>, StoreError> {
        self.refresh()?;
        self.limit_waiting()?;
        Ok(Box::new(SqliteTransaction::begin(self, clip_key(run), clip_name(folder).to_owned(), now)?))
    }

    fn lock(&self, run: &RunKey) -> Result<Option<RunLock>, StoreError> {
        run_lock_file::lock(&self.path, run)
    }

    fn refresh(&mut self) -> Result<bool, StoreError> {
        if self.is_current() {
            return Ok(false);
        }
        self.reopen()?;
        Ok(true)
    }

    fn restart_run(&mut self, run: &RunKey) -> Result<(), StoreError> {
        self.limit_waiting()?;
        refuse_later_version(&self.connection)?;
        remove_run(&mut self.connection, &clip_key(run))
    }

    fn put_aside(&mut self) -> Result<(), StoreError> {
        refuse_later_version(&self.connection)?;
        // Closes the file first: its log must not be written any more.
        self.connection = Connection::open_in_memory().map_err(store_error)?;
        let moved = quarantine::quarantine(&self.path, self.identity, now(), self.options)?;
        self.reopen()?;
        self.quarantined = moved.or_else(|| self.quarantined.take());
        Ok(())
    }

    fn quarantined(&self) -> Option<&Path> {
        self.quarantined.as_deref()
    }

    fn runs(&self, since: i64, limit: usize) -> Result<Vec<Run>, StoreError> {
        let rest = "WHERE day >= ?1 AND seen >= ?2 ORDER BY seen DESC LIMIT ?3";
        self.select_runs(rest, (since.div_euclid(DAY), since, limit))
    }

    fn run(&self, run: &RunKey) -> Result<Option<Run>, StoreError> {
        let RunKey { source, session, agent } = &clip_key(run);
        let rest = "WHERE session = ?1 AND agent = ?2 AND source = ?3";
        Ok(self.select_runs(rest, (session, agent, source))?.pop())
    }

    fn find(&self, session: &str) -> Result<Vec<Run>, StoreError> {
        let rest = "WHERE substr(session, 1, length(?1)) = ?1 ORDER BY seen DESC, id";
        self.select_runs(rest, (session,))
    }

    fn events(&self, run: &Run) -> Result<Vec<StoredEvent>, StoreError> {
        read_events(&self.connection, run)
    }

    fn last_event(&self, run: &Run, kind: &str) -> Result<Option<StoredEvent>, StoreError> {
        let sql = "SELECT number, at, kind, detail FROM events WHERE run = ?1 AND kind = ?2 \
                   ORDER BY number DESC LIMIT 1";
        match self.select(sql, (run.id, kind), |row| Ok(read_event(row))) {
            Ok(mut found) => Ok(found.pop()),
            Err(error) if error.is_damage() => {
                Ok(self.events(run)?.into_iter().rfind(|stored| stored.event.kind() == kind))
            }
            Err(error) => Err(error),
        }
    }

    fn event_counts(&self, run: &Run) -> Result<Vec<EventCount>, StoreError> {
        // Most events are steps that got no answer: finding that is faster than parsing their JSON.
        let sql = "SELECT kind, CASE WHEN json_valid(detail) THEN json_extract(detail, '$.answer') END AS answer, \
                   CASE WHEN kind IN ('refused', 'asked') AND json_valid(detail) \
                   THEN json_extract(detail, '$.action') END AS action, count(*), max(number) FROM events \
                   WHERE run = ?1 AND (kind NOT IN ('step', 'stop') OR instr(detail, '\"answer\":') > 0) \
                   GROUP BY kind, answer, action";
        let counted = self.select(sql, (run.id,), |row| {
            let (kind, answer, action) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(EventCount { kind, answer, action, count: row.get(3)?, last: row.get(4)? })
        });
        match counted {
            Err(error) if error.is_damage() => Ok(EventCount::count_all(&self.events(run)?)),
            counted => counted,
        }
    }

    fn tasks(&self, run: &Run) -> Result<Vec<StoredTask>, StoreError> {
        let sql = "SELECT id, status, forced, reason, changed FROM tasks WHERE run = ?1 ORDER BY id";
        self.select(sql, (run.id,), rows::task)
    }

    fn roadmap(&self, run: &Run) -> Result<Vec<RoadmapTask>, StoreError> {
        roadmap(&self.connection, run.id)
    }

    fn attempts(&self, run: &Run) -> Result<Vec<StoredAttempt>, StoreError> {
        let sql = "SELECT task, number, at, status, blockers, work, session FROM attempts \
                   WHERE run = ?1 ORDER BY task, number";
        self.select(sql, (run.id,), rows::attempt)
    }

    fn last_attempt(&self, run: &Run, task: &str) -> Result<Option<(u64, i64)>, StoreError> {
        let sql = "SELECT number, at FROM attempts WHERE run = ?1 AND task = ?2 ORDER BY number DESC LIMIT 1";
        Ok(self.select(sql, (run.id, task), |row| Ok((row.get(0)?, row.get(1)?)))?.pop())
    }

    fn context(&self, run: &Run) -> Result<Vec<StoredContextEntry>, StoreError> {
        let sql = "SELECT id, timestamp, entry_type, topic, content, related_tasks, confidence, metadata \
                   FROM context_entries WHERE run = ?1 ORDER BY id";
        self.select(sql, (run.id,), rows::context_entry)
    }

    fn spending(&self, session: &str, now: i64) -> Result<SharedSpending, StoreError> {
        self.limit_waiting()?;
        spending::read(&self.connection, session, now)
    }

    fn record_costs(&mut self, costs: &[SessionCost], now: i64) -> Result<(), StoreError> {
        self.refresh()?;
        self.limit_waiting()?;
        let transaction = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)
            .map_err(store_error)?;
        for cost in costs {
            spending::record(&transaction, cost, now)?;
        }
        if !self.is_current() {
            return Err(StoreError::Replaced);
        }
        transaction.commit().map_err(store_error)
    }

    fn recoveries(&self, run: &Run) -> Result<Vec<StoredRecovery>, StoreError> {
        let sql =
            "SELECT at, turn, intervention, loop, task, reason FROM recoveries WHERE run = ?1 ORDER BY id";
        self.select(sql, (run.id,), rows::recovery)
    }

    fn outbox(&mut self) -> Option<&mut dyn StepOutbox> {
        Some(self)
    }
}

fn select<T>(
    connection: &Connection,
    sql: &str,
    values: impl rusqlite::Params,
    read: fn(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, StoreError> {
    let mut statement = connection.prepare(sql).map_err(store_error)?;
    statement.query_map(values, read).and_then(Iterator::collect).map_err(store_error)
}

/// Reads the roadmap of a run by its id.
pub(super) fn roadmap(connection: &Connection, run: i64) -> Result<Vec<RoadmapTask>, StoreError> {
    let sql = format!(
        "SELECT {ROADMAP_COLUMNS} FROM tasks LEFT JOIN roadmap USING (run, id) \
         WHERE run = ?1 ORDER BY position IS NULL, position, id"
    );
    select(connection, &sql, (run,), rows::roadmap_task)
}

/// Shortens names to what can be stored. Two sessions whose names share their first half kilobyte are one.
fn clip_key(run: &RunKey) -> RunKey {
    RunKey {
        source: clip_name(&run.source).to_owned(),
        session: clip_name(&run.session).to_owned(),
        agent: clip_name(&run.agent).to_owned(),
    }
}

pub(super) fn clip_name(name: &str) -> &str {
    &name[..name.floor_char_boundary(NAME_BYTES)]
}
