//! The tables, and how older stores get them. A migration that was published is never changed: write the next one.

use rusqlite::{Connection, TransactionBehavior};

use crate::StoreError;
use crate::sqlite::told;

/// Each migration: its name and what it does. Its version is its place in the list, from 1.
const MIGRATIONS: &[(&str, &str)] = &[(
    "runs, snapshots and events",
    "CREATE TABLE runs (
        id INTEGER PRIMARY KEY,
        source TEXT NOT NULL,
        session TEXT NOT NULL,
        agent TEXT NOT NULL,
        folder TEXT NOT NULL,
        started INTEGER NOT NULL,
        seen INTEGER NOT NULL,
        ended INTEGER,
        events INTEGER NOT NULL DEFAULT 0,
        UNIQUE (source, session, agent)
    );
    CREATE INDEX runs_by_seen ON runs (seen);
    CREATE INDEX runs_by_session ON runs (session);
    CREATE TABLE snapshots (
        run INTEGER PRIMARY KEY,
        state TEXT NOT NULL
    );
    CREATE TABLE events (
        run INTEGER NOT NULL,
        number INTEGER NOT NULL,
        at INTEGER NOT NULL,
        kind TEXT NOT NULL,
        detail TEXT NOT NULL,
        PRIMARY KEY (run, number)
    ) WITHOUT ROWID;",
)];

/// The version that this program writes.
pub(crate) const VERSION: u32 = MIGRATIONS.len() as u32;

/// Brings a store up to date.
pub(crate) fn migrate(connection: &mut Connection, now: i64) -> Result<(), StoreError> {
    match version(connection)? {
        VERSION => return Ok(()),
        found if found > VERSION => return Err(StoreError::TooNew { found, known: VERSION }),
        // A file keeps these from its beginning on; to set them again would take the right to write.
        0 => connection
            .execute_batch("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;")
            .map_err(told)?,
        _ => {}
    }
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(told)?;
    change
        .execute_batch(
            "CREATE TABLE IF NOT EXISTS migrations (
                version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied INTEGER NOT NULL
            );",
        )
        .map_err(told)?;
    // Another process may have been quicker.
    let done = version(&change)?;
    for (version, (name, tables)) in (1..).zip(MIGRATIONS).filter(|(version, _)| *version > done) {
        change.execute_batch(tables).map_err(told)?;
        change.execute("INSERT INTO migrations VALUES (?1, ?2, ?3)", (version, name, now)).map_err(told)?;
    }
    change.commit().map_err(told)
}

/// The last migration that was applied; 0 in a new store.
fn version(connection: &Connection) -> Result<u32, StoreError> {
    let asked = connection.query_row("SELECT max(version) FROM migrations", (), |row| row.get(0));
    match asked {
        Ok(version) => Ok(version),
        Err(rusqlite::Error::SqliteFailure(_, Some(message))) if message.starts_with("no such table") => {
            Ok(0)
        }
        // The table is there and empty.
        Err(rusqlite::Error::InvalidColumnType(..)) => Ok(0),
        Err(rusqlite::Error::SqlInputError { msg, .. }) if msg.starts_with("no such table") => Ok(0),
        Err(error) => Err(told(error)),
    }
}
