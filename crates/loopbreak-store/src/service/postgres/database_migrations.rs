//! The tables of the service in PostgreSQL. A published migration never changes: add another one.

use std::env::current_exe;

use super::postgres_session::{PostgresSession, TransactionKind};
use super::row_values::storable;
use super::session_pool::SessionError;
use crate::StoreError;

/// Number of the advisory lock under which tables are created.
pub(super) const TABLES_LOCK: i64 = 0x4c42_7376_0001;

/// Migrations as pairs of name and SQL.
const MIGRATIONS: &[(&str, &str)] = &[
    (
    // The entries of a day are in a partition of their own, so that old ones are removed without a trace and without work. A unique
    // key cannot span partitions: idempotency keys have a table of their own. Nothing here needs the rights of a superuser.
    "service: runs, entries, loops, usage, tokens and audit",
    "CREATE TABLE projects (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name TEXT COLLATE \"C\" NOT NULL UNIQUE
    );
    CREATE TABLE runs (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        project BIGINT NOT NULL,
        name TEXT COLLATE \"C\" NOT NULL,
        started BIGINT NOT NULL,
        seen BIGINT NOT NULL,
        last_seq BIGINT NOT NULL DEFAULT 0,
        owner TEXT NOT NULL DEFAULT '',
        epoch BIGINT NOT NULL DEFAULT 0,
        until BIGINT NOT NULL DEFAULT 0,
        stop_request TEXT,
        steps BIGINT NOT NULL DEFAULT 0,
        turn BIGINT NOT NULL DEFAULT 0,
        verdict SMALLINT NOT NULL DEFAULT 0,
        worst SMALLINT NOT NULL DEFAULT 0,
        findings BIGINT NOT NULL DEFAULT 0,
        cost DOUBLE PRECISION NOT NULL DEFAULT 0,
        tokens BIGINT NOT NULL DEFAULT 0,
        wasted_steps BIGINT NOT NULL DEFAULT 0,
        wasted_cost DOUBLE PRECISION NOT NULL DEFAULT 0,
        wasted_tokens BIGINT NOT NULL DEFAULT 0,
        model TEXT NOT NULL DEFAULT '',
        agent TEXT NOT NULL DEFAULT '',
        stopped TEXT NOT NULL DEFAULT '',
        held_out BOOLEAN,
        warned_at BIGINT,
        UNIQUE (project, name)
    ) WITH (fillfactor = 80);
    CREATE INDEX runs_by_time ON runs (seen, id);
    CREATE TABLE snapshots (
        run BIGINT PRIMARY KEY,
        seq BIGINT NOT NULL,
        state TEXT NOT NULL
    );
    CREATE SEQUENCE entry_ids;
    CREATE TABLE entries (
        id BIGINT NOT NULL,
        project BIGINT NOT NULL,
        run BIGINT,
        seq BIGINT NOT NULL,
        at BIGINT NOT NULL,
        kind TEXT NOT NULL,
        key TEXT,
        verdict SMALLINT NOT NULL,
        notable BOOLEAN NOT NULL,
        input TEXT NOT NULL,
        answer TEXT NOT NULL
    ) PARTITION BY RANGE (at);
    CREATE INDEX entries_by_id ON entries (id);
    CREATE INDEX entries_by_run ON entries (run, seq);
    CREATE INDEX notable_entries ON entries (project, id) WHERE notable;
    CREATE TABLE entries_other PARTITION OF entries DEFAULT;
    CREATE TABLE entry_keys (
        run BIGINT NOT NULL,
        key TEXT COLLATE \"C\" NOT NULL,
        id BIGINT NOT NULL,
        at BIGINT NOT NULL,
        PRIMARY KEY (run, key)
    );
    CREATE INDEX entry_keys_by_time ON entry_keys (at);
    CREATE TABLE loops (
        project BIGINT NOT NULL,
        loop TEXT COLLATE \"C\" NOT NULL,
        state TEXT NOT NULL,
        detector TEXT NOT NULL,
        pattern TEXT NOT NULL,
        severity TEXT NOT NULL,
        reason TEXT NOT NULL,
        tool TEXT NOT NULL,
        action TEXT NOT NULL,
        model TEXT NOT NULL,
        rule TEXT NOT NULL,
        findings BIGINT NOT NULL,
        runs BIGINT NOT NULL,
        steps BIGINT NOT NULL,
        cost DOUBLE PRECISION NOT NULL,
        tokens BIGINT NOT NULL,
        first_seen BIGINT NOT NULL,
        last_seen BIGINT NOT NULL,
        last_run TEXT NOT NULL,
        PRIMARY KEY (project, loop)
    );
    CREATE INDEX loops_by_time ON loops (last_seen);
    CREATE TABLE loop_runs (
        project BIGINT NOT NULL,
        loop TEXT COLLATE \"C\" NOT NULL,
        run BIGINT NOT NULL,
        PRIMARY KEY (project, loop, run)
    );
    CREATE INDEX loop_runs_by_run ON loop_runs (run);
    CREATE TABLE usage (
        project BIGINT NOT NULL,
        day BIGINT NOT NULL,
        model TEXT COLLATE \"C\" NOT NULL,
        detector TEXT COLLATE \"C\" NOT NULL,
        steps BIGINT NOT NULL,
        tokens BIGINT NOT NULL,
        cost DOUBLE PRECISION NOT NULL,
        PRIMARY KEY (project, day, model, detector)
    );
    CREATE TABLE tokens (
        id TEXT COLLATE \"C\" PRIMARY KEY,
        note TEXT NOT NULL,
        hash TEXT NOT NULL,
        project TEXT NOT NULL,
        scopes TEXT NOT NULL,
        created BIGINT NOT NULL,
        expires BIGINT
    );
    CREATE TABLE audit (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        at BIGINT NOT NULL,
        project TEXT NOT NULL,
        actor TEXT NOT NULL,
        action TEXT NOT NULL,
        subject TEXT NOT NULL,
        detail TEXT NOT NULL
    );",
    ),
    (
        // `kind` of `spending` is 0 for everything, 1 for a day, and 2 for a minute. `opened` is the time from which a loop was open:
        // when it was found first, or again after it was fixed. An alert is stored once for each key of its rule and project.
        "service: spending, alerts, and the time at which a loop was opened",
        "CREATE TABLE spending (
        project BIGINT NOT NULL,
        kind SMALLINT NOT NULL,
        period BIGINT NOT NULL,
        usd DOUBLE PRECISION NOT NULL,
        findings BIGINT NOT NULL,
        since BIGINT NOT NULL,
        PRIMARY KEY (project, kind, period)
    );
    CREATE INDEX spending_by_period ON spending (kind, period);
    INSERT INTO spending (project, kind, period, usd, findings, since)
        SELECT project, 0, 0, sum(cost), 0, min(day) * 86400000 FROM usage WHERE detector = '' GROUP BY project;
    INSERT INTO spending (project, kind, period, usd, findings, since)
        SELECT project, 1, day, sum(cost), 0, day * 86400000 FROM usage WHERE detector = '' GROUP BY project, day;
    ALTER TABLE loops ADD COLUMN opened BIGINT NOT NULL DEFAULT 0;
    UPDATE loops SET opened = first_seen;
    CREATE INDEX loops_by_opening ON loops (opened);
    CREATE TABLE alert_rules (
        rule TEXT COLLATE \"C\" PRIMARY KEY,
        since BIGINT NOT NULL
    );
    CREATE TABLE alerts (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        rule TEXT COLLATE \"C\" NOT NULL,
        kind TEXT NOT NULL,
        project TEXT COLLATE \"C\" NOT NULL,
        key TEXT COLLATE \"C\" NOT NULL,
        loop TEXT NOT NULL,
        at BIGINT NOT NULL,
        value DOUBLE PRECISION NOT NULL,
        threshold DOUBLE PRECISION NOT NULL,
        title TEXT NOT NULL,
        reason TEXT NOT NULL,
        place TEXT NOT NULL,
        detail TEXT NOT NULL,
        ended BIGINT,
        UNIQUE (rule, project, key)
    );
    CREATE INDEX alerts_by_time ON alerts (at);
    CREATE TABLE alert_messages (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        alert BIGINT NOT NULL,
        rule TEXT COLLATE \"C\" NOT NULL,
        form TEXT NOT NULL,
        state TEXT NOT NULL,
        attempts BIGINT NOT NULL,
        due BIGINT NOT NULL,
        at BIGINT NOT NULL,
        error TEXT NOT NULL
    );
    CREATE INDEX messages_by_alert ON alert_messages (alert);
    CREATE INDEX due_messages ON alert_messages (due) WHERE state = 'waiting';",
    ),
];

/// Version of the tables that this program writes: the number of the migrations.
const VERSION: i32 = 2;
const _: () = assert!(MIGRATIONS.len() == VERSION as usize);

/// Applies the migrations that the database lacks. Servers that start at the same time wait for each other.
pub(super) fn migrate(session: &mut PostgresSession, now: i64) -> Result<(), SessionError> {
    if version(session)? == VERSION {
        return Ok(());
    }
    session.allow_long_work()?;
    apply(session, now)?;
    Ok(session.end_long_work()?)
}

fn apply(session: &mut PostgresSession, now: i64) -> Result<(), SessionError> {
    session.transact(TransactionKind::Change, |session| {
        session.execute("SELECT pg_advisory_xact_lock($1)", &[&TABLES_LOCK])?;
        session.run_batch(
            "CREATE TABLE IF NOT EXISTS migrations (
                version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied BIGINT NOT NULL
            );",
        )?;
        let done = version(session)?;
        if done > VERSION {
            return Err(SessionError::Store(too_new(session, done)?));
        }
        for (version, (name, tables)) in (1..).zip(MIGRATIONS).filter(|(version, _)| *version > done) {
            session.run_batch(tables)?;
            let name = format!("{name} (Loopbreak {})", env!("CARGO_PKG_VERSION"));
            session.execute(
                "INSERT INTO migrations (version, name, applied) VALUES ($1, $2, $3)",
                &[&version, &name, &now],
            )?;
        }
        Ok(())
    })
}

/// Returns the version of the tables, 0 for an empty database.
fn version(session: &mut PostgresSession) -> Result<i32, tokio_postgres::Error> {
    let exists: bool = session.query_one("SELECT to_regclass('migrations') IS NOT NULL", &[])?.try_get(0)?;
    if !exists {
        return Ok(0);
    }
    let latest = session.query_one("SELECT max(version) FROM migrations", &[])?;
    Ok(latest.try_get::<_, Option<i32>>(0)?.unwrap_or(0))
}

fn too_new(session: &mut PostgresSession, found: i32) -> Result<StoreError, tokio_postgres::Error> {
    let row = session.query_opt("SELECT name FROM migrations WHERE version = $1", &[&found])?;
    let name: String = row.map(|row| row.try_get(0)).transpose()?.unwrap_or_default();
    let written_by = name.rsplit_once("(Loopbreak ").map(|(_, rest)| rest.trim_end_matches(')'));
    Ok(StoreError::TooNew {
        found: found.unsigned_abs(),
        known: VERSION.unsigned_abs(),
        written_by: written_by
            .filter(|version| version.len() <= 40 && version.chars().all(|c| c.is_ascii_graphic()))
            .map(|version| storable(version).into_owned()),
        program: current_exe().unwrap_or_else(|_| "loopbreak".into()),
    })
}
