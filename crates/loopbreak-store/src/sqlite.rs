//! The store in one SQLite file.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OptionalExtension as _, Row, TransactionBehavior};

use crate::open::connect;
use crate::prune::{DAY, Limits, prune};
use crate::rows::{self, ROADMAP, RUN};
use crate::tasks::RoadmapTask;
use crate::{Attempt, Change, ContextEntry, Event, Recovery, Run, RunKey, Store, StoreError, Task, damage};

/// How long the log of changes beside the file may get, in bytes. A process that opens the store after all others have
/// left reads all of it first; to write it into the file has to wait for the disk. This is where the two cost the same.
const LOG_BYTES: u64 = 600 * 1024;
/// One change in so many looks whether it has. Where hundreds come at once, not each of them is to wait for the disk.
const LOOKS: u64 = 8;
/// The longest names that are kept.
const NAME_BYTES: usize = 512;
/// What is put away is filled up to a multiple of this. Most often it has the same length then as before, and is written
/// in the same place.
const BLOCK: usize = 1024;

/// How a store is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// What is kept.
    pub limits: Limits,
    /// How long to wait for other processes. By default shorter than what agents give their hooks.
    pub patience: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Options { limits: Limits::default(), patience: Duration::from_secs(8) }
    }
}

/// The store in one SQLite file. Many processes may use it at once.
///
/// A change that was made is whole, and is there for every other process from then on, whatever becomes of the process
/// that made it. It is handed to the operating system, not forced onto the disk: a machine that loses its power may lose
/// the last changes, and nothing else of the store.
#[derive(Debug)]
pub struct Sqlite {
    connection: Connection,
    options: Options,
    log: PathBuf,
    put_aside: Option<PathBuf>,
}

impl Sqlite {
    /// Opens the store, and makes it where there is none. One that is damaged is put aside: see [`Sqlite::put_aside`].
    pub fn open(path: &Path, now: i64) -> Result<Self, StoreError> {
        Sqlite::open_with(path, now, Options::default())
    }

    /// The same, with other options.
    pub fn open_with(path: &Path, now: i64, options: Options) -> Result<Self, StoreError> {
        match connect(path, now, options) {
            Ok(connection) => Ok(Sqlite::on(connection, path, options, None)),
            Err(StoreError::Damaged(_)) => Sqlite::renew(path, now, options),
            Err(error) => Err(error),
        }
    }

    /// Opens the store once more after it was found to be damaged: puts the file aside and begins a new one.
    pub fn renew(path: &Path, now: i64, options: Options) -> Result<Self, StoreError> {
        let put_aside = damage::put_aside(path, now)?;
        Ok(Sqlite::on(connect(path, now, options)?, path, options, put_aside))
    }

    fn on(connection: Connection, path: &Path, options: Options, put_aside: Option<PathBuf>) -> Self {
        Sqlite { connection, options, log: damage::beside(path, "-wal"), put_aside }
    }

    /// Where the damaged store went that was found in its place, if there was one.
    pub fn put_aside(&self) -> Option<&Path> {
        self.put_aside.as_deref()
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
        self.select(&format!("SELECT {RUN} FROM runs JOIN guards ON run = id {rest}"), values, rows::run)
    }

    /// Changes a run under one lock. `change` is given what was put away and, where the run is known, the way to ask for more
    /// of it.
    fn change<F>(&mut self, run: &RunKey, folder: &str, now: i64, change: F) -> Result<(), StoreError>
    where
        F: FnOnce(Option<&str>, Option<(&Connection, i64)>) -> Result<Option<Change>, StoreError>,
    {
        // To begin with the right to write is what keeps two steps from being written over each other.
        let all = self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(told)?;
        let RunKey { source, session, agent } = &run.clipped();
        let known = all
            .query_row(
                "SELECT id, day, events, state FROM runs JOIN guards ON run = id \
                 WHERE session = ?1 AND agent = ?2 AND source = ?3",
                (session, agent, source),
                |row| {
                    let state: Option<String> = row.get(3)?;
                    Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, u64>(2)?, state))
                },
            )
            .optional()
            .map_err(told)?;
        let snapshot = known.as_ref().and_then(|(.., state)| state.as_deref()).map(str::trim_end);
        let id = known.as_ref().map(|(id, ..)| *id);
        let Some(change) = change(snapshot, id.map(|id| (&*all, id)))? else { return Ok(()) };
        let today = now.div_euclid(DAY);
        let (id, before) = if let Some((id, day, events, _)) = known {
            if day < today {
                all.execute("UPDATE runs SET day = ?2 WHERE id = ?1", (id, today)).map_err(told)?;
            }
            (id, events)
        } else {
            prune(&all, self.options.limits, now)?;
            let values = (source, session, agent, clip(folder), now, today);
            let sql = "INSERT INTO runs (source, session, agent, folder, started, day) \
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            all.execute(sql, values).map_err(told)?;
            let id = all.last_insert_rowid();
            all.execute("INSERT INTO guards VALUES (?1, ?2, NULL, 0, NULL)", (id, now)).map_err(told)?;
            (id, 0)
        };
        let (ended, events) = (change.ended.then_some(now), before + change.events.len() as u64);
        all.execute(
            "UPDATE guards SET seen = max(seen, ?2), ended = ?3, events = ?4, state = coalesce(?5, state) \
             WHERE run = ?1",
            (id, now, ended, events, change.snapshot.map(filled)),
        )
        .map_err(told)?;
        for (number, (kind, detail)) in (before + 1..).zip(&change.events) {
            all.execute("INSERT INTO events VALUES (?1, ?2, ?3, ?4, ?5)", (id, number, now, kind, detail))
                .map_err(told)?;
        }
        rows::write(&all, id, &change.records)?;
        all.commit().map_err(told)?;
        // By the run as well: short runs would else never be the one that looks.
        if (id.unsigned_abs() + events).is_multiple_of(LOOKS) {
            self.shorten_log();
        }
        Ok(())
    }

    /// Writes the log of changes into the file where it has become long. Only this makes it short again: what SQLite does
    /// by itself is forgotten with the last process, and the next one would read, and lengthen, all of it.
    fn shorten_log(&self) {
        let long = fs::metadata(&self.log).is_ok_and(|log| log.len() > LOG_BYTES);
        if long {
            // Whoever comes later tries again; nobody is to wait for it.
            let _ = self.connection.busy_timeout(Duration::ZERO);
            let _ = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(()));
            let _ = self.connection.busy_timeout(self.options.patience);
        }
    }
}

impl Store for Sqlite {
    fn snapshot(&self, run: &RunKey) -> Result<Option<String>, StoreError> {
        let RunKey { source, session, agent } = &run.clipped();
        let state: Option<Option<String>> = self
            .connection
            .query_row(
                "SELECT state FROM guards JOIN runs ON run = id \
                 WHERE session = ?1 AND agent = ?2 AND source = ?3",
                (session, agent, source),
                |row| row.get(0),
            )
            .optional()
            .map_err(told)?;
        Ok(state.flatten().map(unfilled))
    }

    fn update<F>(&mut self, run: &RunKey, folder: &str, now: i64, change: F) -> Result<(), StoreError>
    where
        F: FnOnce(Option<&str>) -> Option<Change>,
    {
        self.change(run, folder, now, |snapshot, _| Ok(change(snapshot)))
    }

    fn update_tasks<F>(&mut self, run: &RunKey, folder: &str, now: i64, change: F) -> Result<(), StoreError>
    where
        F: FnOnce(Option<&str>, Vec<RoadmapTask>) -> Option<Change>,
    {
        self.change(run, folder, now, |snapshot, known| {
            let tasks = known.map(|(connection, id)| roadmap(connection, id)).transpose()?;
            Ok(change(snapshot, tasks.unwrap_or_default()))
        })
    }

    fn runs(&self, since: i64, most: usize) -> Result<Vec<Run>, StoreError> {
        let rest = "WHERE day >= ?1 AND seen >= ?2 ORDER BY seen DESC LIMIT ?3";
        self.select_runs(rest, (since.div_euclid(DAY), since, most))
    }

    fn run(&self, run: &RunKey) -> Result<Option<Run>, StoreError> {
        let RunKey { source, session, agent } = &run.clipped();
        let rest = "WHERE session = ?1 AND agent = ?2 AND source = ?3";
        Ok(self.select_runs(rest, (session, agent, source))?.pop())
    }

    fn find(&self, session: &str) -> Result<Vec<Run>, StoreError> {
        let rest = "WHERE substr(session, 1, length(?1)) = ?1 ORDER BY seen DESC, id";
        self.select_runs(rest, (session,))
    }

    fn events(&self, run: &Run) -> Result<Vec<Event>, StoreError> {
        let sql = "SELECT number, at, kind, detail FROM events WHERE run = ?1 ORDER BY number";
        self.select(sql, (run.id,), |row| {
            Ok(Event { number: row.get(0)?, at: row.get(1)?, kind: row.get(2)?, detail: row.get(3)? })
        })
    }

    fn tasks(&self, run: &Run) -> Result<Vec<Task>, StoreError> {
        let sql = "SELECT id, status, forced, reason, changed FROM tasks WHERE run = ?1 ORDER BY id";
        self.select(sql, (run.id,), rows::task)
    }

    fn roadmap(&self, run: &Run) -> Result<Vec<RoadmapTask>, StoreError> {
        roadmap(&self.connection, run.id)
    }

    fn attempts(&self, run: &Run) -> Result<Vec<Attempt>, StoreError> {
        let sql = "SELECT task, number, at, status, blockers, work, session FROM attempts \
                   WHERE run = ?1 ORDER BY task, number";
        self.select(sql, (run.id,), rows::attempt)
    }

    fn last_attempt(&self, run: &Run, task: &str) -> Result<Option<(u64, i64)>, StoreError> {
        let sql = "SELECT number, at FROM attempts WHERE run = ?1 AND task = ?2 ORDER BY number DESC LIMIT 1";
        Ok(self.select(sql, (run.id, task), |row| Ok((row.get(0)?, row.get(1)?)))?.pop())
    }

    fn context(&self, run: &Run) -> Result<Vec<ContextEntry>, StoreError> {
        let sql = "SELECT id, timestamp, entry_type, topic, content, related_tasks, confidence, metadata \
                   FROM context_entries WHERE run = ?1 ORDER BY id";
        self.select(sql, (run.id,), rows::context)
    }

    fn recoveries(&self, run: &Run) -> Result<Vec<Recovery>, StoreError> {
        let sql =
            "SELECT at, turn, intervention, loop, task, reason FROM recoveries WHERE run = ?1 ORDER BY id";
        self.select(sql, (run.id,), rows::recovery)
    }
}

fn select<T>(
    connection: &Connection,
    sql: &str,
    values: impl rusqlite::Params,
    read: fn(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, StoreError> {
    let mut asked = connection.prepare(sql).map_err(told)?;
    asked.query_map(values, read).and_then(Iterator::collect).map_err(told)
}

fn roadmap(connection: &Connection, run: i64) -> Result<Vec<RoadmapTask>, StoreError> {
    let sql = format!(
        "SELECT {ROADMAP} FROM tasks LEFT JOIN roadmap USING (run, id) \
         WHERE run = ?1 ORDER BY position IS NULL, position, id"
    );
    select(connection, &sql, (run,), rows::roadmap)
}

impl RunKey {
    /// The same with names of a length that can be kept. Two sessions with the same first half kilobyte are one.
    fn clipped(&self) -> RunKey {
        RunKey {
            source: clip(&self.source).to_owned(),
            session: clip(&self.session).to_owned(),
            agent: clip(&self.agent).to_owned(),
        }
    }
}

fn clip(name: &str) -> &str {
    &name[..name.floor_char_boundary(NAME_BYTES)]
}

fn filled(mut state: String) -> String {
    let length = state.len().next_multiple_of(BLOCK);
    state.extend(std::iter::repeat_n(' ', length - state.len()));
    state
}

fn unfilled(mut state: String) -> String {
    state.truncate(state.trim_end().len());
    state
}

pub(crate) fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

/// What the database says, in our words.
#[expect(clippy::needless_pass_by_value, reason = "it stands in `map_err`")]
pub(crate) fn told(error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        _ if is_damage(&error) => StoreError::Damaged(error.to_string()),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy,
        _ => StoreError::Database(error.to_string()),
    }
}
