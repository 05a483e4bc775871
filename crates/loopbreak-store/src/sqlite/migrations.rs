//! The tables, and the migrations that add them to older stores. A published migration never changes: add
//! another one.

use rusqlite::{Connection, TransactionBehavior};

use super::{describe, store_error};
use crate::StoreError;

/// Migrations as pairs of name and SQL. The version of a migration is its position in the list, from 1.
const MIGRATIONS: &[(&str, &str)] = &[
    (
        // Everything that changes with a step is in one row of `guards`: each page that is touched has to be written,
        // and read again by the next process. `day` is the day a run was last seen, and changes once a day.
        "runs, guards and events",
        "CREATE TABLE runs (
            id INTEGER PRIMARY KEY,
            source TEXT NOT NULL,
            session TEXT NOT NULL,
            agent TEXT NOT NULL,
            folder TEXT NOT NULL,
            started INTEGER NOT NULL,
            day INTEGER NOT NULL,
            UNIQUE (session, agent, source)
        );
        CREATE INDEX runs_by_day ON runs (day);
        CREATE TABLE guards (
            run INTEGER PRIMARY KEY,
            seen INTEGER NOT NULL,
            ended INTEGER,
            events INTEGER NOT NULL,
            state TEXT
        );
        CREATE TABLE events (
            run INTEGER NOT NULL,
            number INTEGER NOT NULL,
            at INTEGER NOT NULL,
            kind TEXT NOT NULL,
            detail TEXT NOT NULL,
            PRIMARY KEY (run, number)
        ) WITHOUT ROWID;",
    ),
    (
        "tasks, attempts, context entries and the ledger of recoveries",
        "CREATE TABLE tasks (
            run INTEGER NOT NULL,
            id TEXT NOT NULL,
            status TEXT NOT NULL,
            forced INTEGER NOT NULL,
            reason TEXT NOT NULL,
            changed INTEGER NOT NULL,
            PRIMARY KEY (run, id)
        ) WITHOUT ROWID;
        CREATE TABLE attempts (
            run INTEGER NOT NULL,
            task TEXT NOT NULL,
            number INTEGER NOT NULL,
            at INTEGER NOT NULL,
            status TEXT NOT NULL,
            blockers TEXT NOT NULL,
            work TEXT NOT NULL,
            session TEXT NOT NULL,
            PRIMARY KEY (run, task, number)
        ) WITHOUT ROWID;
        CREATE TABLE context_entries (
            id INTEGER PRIMARY KEY,
            run INTEGER NOT NULL,
            timestamp INTEGER NOT NULL,
            entry_type TEXT NOT NULL,
            topic TEXT NOT NULL,
            content TEXT NOT NULL,
            related_tasks TEXT NOT NULL,
            confidence REAL NOT NULL,
            metadata TEXT NOT NULL
        );
        CREATE INDEX context_entries_by_run ON context_entries (run);
        CREATE TABLE recoveries (
            id INTEGER PRIMARY KEY,
            run INTEGER NOT NULL,
            at INTEGER NOT NULL,
            turn INTEGER NOT NULL,
            intervention TEXT NOT NULL,
            loop TEXT NOT NULL,
            task TEXT,
            reason TEXT NOT NULL
        );
        CREATE INDEX recoveries_by_run ON recoveries (run);",
    ),
    (
        // The description of a task. Its status is in `tasks`, which every verdict changes, also in runs without a
        // roadmap.
        "roadmaps",
        "CREATE TABLE roadmap (
            run INTEGER NOT NULL,
            id TEXT NOT NULL,
            position INTEGER NOT NULL,
            title TEXT NOT NULL,
            details TEXT NOT NULL,
            dependencies TEXT NOT NULL,
            checker TEXT NOT NULL,
            finished INTEGER NOT NULL,
            returned INTEGER NOT NULL,
            escalation TEXT NOT NULL,
            blockers TEXT NOT NULL,
            deferred TEXT NOT NULL,
            PRIMARY KEY (run, id)
        ) WITHOUT ROWID;",
    ),
    (
        // Sessions, and not runs: a session has several runs, and is removed with none of them. The sums of `spending_periods`
        // are of everything (kind 0), of a day (1) and of a minute (2) since 1970.
        "spending",
        "CREATE TABLE spending (
            session TEXT NOT NULL,
            part TEXT NOT NULL,
            parent TEXT NOT NULL,
            usd REAL NOT NULL,
            since INTEGER NOT NULL,
            seen INTEGER NOT NULL,
            PRIMARY KEY (session, part)
        ) WITHOUT ROWID;
        CREATE INDEX spending_by_parent ON spending (parent);
        CREATE TABLE spending_periods (
            kind INTEGER NOT NULL,
            period INTEGER NOT NULL,
            usd REAL NOT NULL,
            since INTEGER NOT NULL,
            PRIMARY KEY (kind, period)
        ) WITHOUT ROWID;",
    ),
    (
        // A step belongs to no run of this store: it is sent even if its run was removed meanwhile.
        "unsent steps",
        "CREATE TABLE unsent_steps (
            id INTEGER PRIMARY KEY,
            server TEXT NOT NULL,
            run TEXT NOT NULL,
            key TEXT NOT NULL,
            step TEXT NOT NULL
        );
        CREATE INDEX unsent_steps_by_run ON unsent_steps (server, run, id);
        CREATE TABLE servers (
            server TEXT PRIMARY KEY,
            waiting INTEGER NOT NULL DEFAULT 0,
            bytes INTEGER NOT NULL DEFAULT 0,
            dropped INTEGER NOT NULL DEFAULT 0,
            refused INTEGER NOT NULL DEFAULT 0,
            failures INTEGER NOT NULL DEFAULT 0,
            retry_at INTEGER NOT NULL DEFAULT 0,
            last_failure TEXT NOT NULL DEFAULT ''
        ) WITHOUT ROWID;",
    ),
];

/// Version of the tables that this program writes.
pub(super) const VERSION: u32 = MIGRATIONS.len() as u32;

/// Applies the migrations that the store lacks.
pub(super) fn migrate(connection: &mut Connection, now: i64) -> Result<(), StoreError> {
    apply_migrations(connection, MIGRATIONS, now)
}

/// Applies those of a list of migrations, as pairs of name and SQL, that the database lacks.
pub(crate) fn apply_migrations(
    connection: &mut Connection,
    migrations: &[(&str, &str)],
    now: i64,
) -> Result<(), StoreError> {
    let latest = migrations.len() as u32;
    match version(connection)? {
        found if found == latest => return Ok(()),
        found if found > latest => return Err(too_new(connection, found, latest)),
        // A file keeps these settings from its creation on. Setting them again would take the write lock.
        0 if !is_empty(connection)? => {
            return Err(StoreError::Inconsistent("it has tables, but no migrations".to_owned()));
        }
        0 => connection
            .execute_batch("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;")
            .map_err(store_error)?,
        _ => {}
    }
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(store_error)?;
    change
        .execute_batch(
            "CREATE TABLE IF NOT EXISTS migrations (
                version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied INTEGER NOT NULL
            );",
        )
        .map_err(store_error)?;
    // Another process may have been faster.
    let done = version(&change)?;
    for (version, (name, tables)) in (1..).zip(migrations).filter(|(version, _)| *version > done) {
        change.execute_batch(tables).map_err(store_error)?;
        change
            .execute("INSERT INTO migrations VALUES (?1, ?2, ?3)", (version, signed(name), now))
            .map_err(store_error)?;
    }
    change.commit().map_err(store_error)
}

/// Returns the version of the last migration that was applied, 0 for a new store. Triggers and views are damage: Loopbreak
/// creates none, and one that somebody planted could change or refuse what is written.
fn version(connection: &Connection) -> Result<u32, StoreError> {
    let sql = "SELECT max(version), (SELECT count(*) FROM sqlite_schema WHERE type IN ('trigger', 'view')) FROM migrations";
    let read =
        connection.query_row(sql, (), |row| Ok((row.get::<_, Option<u32>>(0)?, row.get::<_, u32>(1)?)));
    match read {
        Ok((version, 0)) => Ok(version.unwrap_or(0)),
        Ok(_) => Err(StoreError::Inconsistent("it has a trigger or a view".to_owned())),
        Err(error) if describe(&error).starts_with("no such table") => Ok(0),
        Err(error) => Err(store_error(error)),
    }
}

/// Fails if a later version has changed the tables since the store was opened: what looks like damage is none.
pub(super) fn refuse_later_version(connection: &Connection) -> Result<(), StoreError> {
    let latest = connection.query_row("SELECT max(version) FROM migrations", (), |row| row.get::<_, u32>(0));
    match latest {
        Ok(found) if found > VERSION => Err(too_new(connection, found, VERSION)),
        _ => Ok(()),
    }
}

/// Returns the name of a migration with the version that applies it. An older program that finds the store can then say which
/// version it needs. Releases up to 0.1.0 wrote the name alone.
fn signed(name: &str) -> String {
    format!("{name}{SIGNATURE}{})", env!("CARGO_PKG_VERSION"))
}

/// Precedes the version of Loopbreak in the name of a migration.
const SIGNATURE: &str = " (Loopbreak ";

/// Returns the error about a store of a later version, with the version that wrote it.
fn too_new(connection: &Connection, found: u32, known: u32) -> StoreError {
    let sql = "SELECT name FROM migrations WHERE version = ?1";
    let name = connection.query_row(sql, [found], |row| row.get::<_, String>(0)).unwrap_or_default();
    let version = name.rsplit_once(SIGNATURE).and_then(|(_, rest)| rest.strip_suffix(')'));
    // The text reaches people and their terminals.
    let is_plain = |version: &&str| {
        version.len() <= 40
            && version.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-+".contains(&byte))
    };
    StoreError::TooNew {
        found,
        known,
        written_by: version.filter(is_plain).map(str::to_owned),
        program: std::env::current_exe().unwrap_or_else(|_| "loopbreak".into()),
    }
}

/// Returns an error unless the store has the version of this program.
pub(super) fn require_current_version(connection: &Connection) -> Result<(), StoreError> {
    match version(connection)? {
        VERSION => Ok(()),
        found if found > VERSION => Err(too_new(connection, found, VERSION)),
        _ => Err(StoreError::Database("it was written by an older version".to_owned())),
    }
}

/// Returns whether the file has no tables.
fn is_empty(connection: &Connection) -> Result<bool, StoreError> {
    let count = connection.query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get::<_, u32>(0));
    count.map(|count| count == 0).map_err(store_error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_missing_tables_to_an_older_store_and_keeps_its_rows() {
        let mut old = Connection::open_in_memory().unwrap();
        old.execute_batch(MIGRATIONS[0].1).unwrap();
        old.execute_batch(
            "CREATE TABLE migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied INTEGER NOT NULL);
             INSERT INTO migrations VALUES (1, 'x', 7);
             INSERT INTO guards VALUES (3, 1, NULL, 2, 'kept');",
        )
        .unwrap();
        migrate(&mut old, 9).unwrap();
        assert_eq!(version(&old).unwrap(), VERSION);
        let kept: String = old.query_row("SELECT state FROM guards", (), |row| row.get(0)).unwrap();
        assert_eq!(kept, "kept");
        let applied: Vec<i64> = old
            .prepare("SELECT applied FROM migrations ORDER BY version")
            .unwrap()
            .query_map((), |row| row.get(0))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        assert_eq!(applied, [7, 9, 9, 9, 9]);
        old.execute_batch(
            "SELECT id FROM context_entries; SELECT task FROM attempts; SELECT deferred FROM roadmap; SELECT usd FROM spending; SELECT step FROM unsent_steps",
        )
        .unwrap();
    }
    #[test]
    fn a_later_store_names_the_version_that_wrote_it() {
        for (name, writer) in [
            (signed("later"), Some(env!("CARGO_PKG_VERSION"))),
            ("later (Loopbreak 2.0.0-rc.1)".to_owned(), Some("2.0.0-rc.1")),
            ("later".to_owned(), None),
            ("later (Loopbreak \u{1b}[31m)".to_owned(), None),
        ] {
            let mut store = Connection::open_in_memory().unwrap();
            migrate(&mut store, 1).unwrap();
            store.execute("INSERT INTO migrations VALUES (99, ?1, 2)", [&name]).unwrap();
            let error = migrate(&mut store, 3).unwrap_err();
            let StoreError::TooNew { found: 99, written_by, .. } = &error else { panic!("{error}") };
            assert_eq!(written_by.as_deref(), writer);
            let writer =
                writer.map_or("a newer Loopbreak".to_owned(), |version| format!("Loopbreak {version}"));
            let this = std::env::current_exe().unwrap();
            let start = format!(
                "the store was written by {writer}, but {} is the older version {}, which cannot read it: ",
                this.display(),
                env!("CARGO_PKG_VERSION")
            );
            assert!(error.to_string().starts_with(&start), "{error}");
            assert!(matches!(refuse_later_version(&store), Err(StoreError::TooNew { found: 99, .. })));
        }
    }
}
