//! The store in one SQLite file.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension as _, Row, TransactionBehavior};

use crate::migrate::migrate;
use crate::prune::{Limits, prune};
use crate::{Change, Event, Run, RunKey, Store, StoreError, damage};

/// How long to wait for other processes. Shorter than what agents give their hooks.
const PATIENCE: Duration = Duration::from_secs(8);
/// The changes that are written into the file itself only from so many pages on. A process that opens the store after
/// all others have left reads them first, so they must not be many.
const PAGES: u32 = 100;
/// The longest names that are kept.
const NAME_BYTES: usize = 512;

const RUN: &str = "id, source, session, agent, folder, started, seen, ended, events";

/// The store in one SQLite file. Many processes may use it at once.
#[derive(Debug)]
pub struct Sqlite {
    connection: Connection,
    limits: Limits,
    put_aside: Option<PathBuf>,
}

impl Sqlite {
    /// Opens the store, and makes it where there is none. One that is damaged is put aside: see [`Sqlite::put_aside`].
    pub fn open(path: &Path, now: i64) -> Result<Self, StoreError> {
        Sqlite::open_with(path, now, Limits::default())
    }

    /// The same, with other limits.
    pub fn open_with(path: &Path, now: i64, limits: Limits) -> Result<Self, StoreError> {
        match connect(path, now) {
            Ok(connection) => Ok(Sqlite { connection, limits, put_aside: None }),
            Err(StoreError::Damaged(_)) => Sqlite::renew(path, now, limits),
            Err(error) => Err(error),
        }
    }

    /// Opens the store once more after it was found to be damaged: puts the file aside and begins a new one.
    pub fn renew(path: &Path, now: i64, limits: Limits) -> Result<Self, StoreError> {
        let put_aside = damage::put_aside(path, now)?;
        Ok(Sqlite { connection: connect(path, now)?, limits, put_aside })
    }

    /// Where the damaged store went that was found in its place, if there was one.
    pub fn put_aside(&self) -> Option<&Path> {
        self.put_aside.as_deref()
    }

    fn select(&self, rest: &str, values: impl rusqlite::Params) -> Result<Vec<Run>, StoreError> {
        let mut asked = self.connection.prepare(&format!("SELECT {RUN} FROM runs {rest}")).map_err(told)?;
        asked.query_map(values, run).and_then(Iterator::collect).map_err(told)
    }
}

fn connect(path: &Path, now: i64) -> Result<Connection, StoreError> {
    let open = || {
        // One process, one thread: SQLite's own locks would only cost.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Connection::open_with_flags(path, flags)
    };
    let mut connection = match open() {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::CannotOpen) => {
            make_folder(path)?;
            open()
        }
        opened => opened,
    }
    .map_err(told)?;
    connection.busy_timeout(PATIENCE).map_err(told)?;
    // Otherwise each process, being the last to leave, would write everything into the file and wait for the disk.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).map_err(told)?;
    let batch = format!("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = {PAGES};");
    connection.execute_batch(&batch).map_err(told)?;
    migrate(&mut connection, now)?;
    Ok(connection)
}

/// Makes the folder, for the user alone: what agents do is nobody else's business.
fn make_folder(path: &Path) -> Result<(), StoreError> {
    let Some(folder) = path.parent() else { return Ok(()) };
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| StoreError::File { path: folder.display().to_string(), error })
}

impl Store for Sqlite {
    fn snapshot(&self, run: &RunKey) -> Result<Option<String>, StoreError> {
        let RunKey { source, session, agent } = &run.clipped();
        self.connection
            .query_row(
                "SELECT state FROM snapshots JOIN runs ON run = id \
                 WHERE source = ?1 AND session = ?2 AND agent = ?3",
                (source, session, agent),
                |row| row.get(0),
            )
            .optional()
            .map_err(told)
    }

    fn update<F>(&mut self, run: &RunKey, folder: &str, now: i64, change: F) -> Result<(), StoreError>
    where
        F: FnOnce(Option<&str>) -> Option<Change>,
    {
        // To begin with the right to write is what keeps two steps from being written over each other.
        let all = self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(told)?;
        let RunKey { source, session, agent } = &run.clipped();
        let known = all
            .query_row(
                "SELECT id, events, state FROM runs LEFT JOIN snapshots ON run = id \
                 WHERE source = ?1 AND session = ?2 AND agent = ?3",
                (source, session, agent),
                |row| Ok((row.get::<_, i64>(0)?, row.get::<_, u64>(1)?, row.get::<_, Option<String>>(2)?)),
            )
            .optional()
            .map_err(told)?;
        let snapshot = known.as_ref().and_then(|(_, _, state)| state.as_deref());
        let Some(change) = change(snapshot) else { return Ok(()) };
        let (id, number) = if let Some((id, events, _)) = known {
            (id, events + 1)
        } else {
            prune(&all, self.limits, now)?;
            all.execute(
                "INSERT INTO runs (source, session, agent, folder, started, seen) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?5)",
                (source, session, agent, clip(folder), now),
            )
            .map_err(told)?;
            (all.last_insert_rowid(), 1)
        };
        let ended = change.ended.then_some(now);
        all.execute(
            "UPDATE runs SET seen = max(seen, ?2), events = ?3, ended = ?4 WHERE id = ?1",
            (id, now, number, ended),
        )
        .map_err(told)?;
        all.execute(
            "INSERT INTO events VALUES (?1, ?2, ?3, ?4, ?5)",
            (id, number, now, change.kind, change.detail),
        )
        .map_err(told)?;
        if let Some(state) = change.snapshot {
            all.execute("INSERT OR REPLACE INTO snapshots VALUES (?1, ?2)", (id, state)).map_err(told)?;
        }
        all.commit().map_err(told)
    }

    fn runs(&self, since: i64, most: usize) -> Result<Vec<Run>, StoreError> {
        self.select("WHERE seen >= ?1 ORDER BY seen DESC LIMIT ?2", (since, most))
    }

    fn find(&self, session: &str) -> Result<Vec<Run>, StoreError> {
        let rest = "WHERE substr(session, 1, length(?1)) = ?1 ORDER BY seen DESC, id";
        self.select(rest, (session,))
    }

    fn events(&self, run: &Run) -> Result<Vec<Event>, StoreError> {
        let mut asked = self
            .connection
            .prepare("SELECT number, at, kind, detail FROM events WHERE run = ?1 ORDER BY number")
            .map_err(told)?;
        let event = |row: &Row<'_>| {
            Ok(Event { number: row.get(0)?, at: row.get(1)?, kind: row.get(2)?, detail: row.get(3)? })
        };
        asked.query_map((run.id,), event).and_then(Iterator::collect).map_err(told)
    }
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

fn run(row: &Row<'_>) -> rusqlite::Result<Run> {
    Ok(Run {
        id: row.get(0)?,
        source: row.get(1)?,
        session: row.get(2)?,
        agent: row.get(3)?,
        folder: row.get(4)?,
        started: row.get(5)?,
        seen: row.get(6)?,
        ended: row.get(7)?,
        events: row.get(8)?,
    })
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
