//! The tables of the service. A published migration never changes: add another one.

/// Migrations as pairs of name and SQL.
pub(super) const SERVICE_MIGRATIONS: &[(&str, &str)] = &[
    (
    // `entries.id` is the position in the stream of events, so it is never used twice. A run without a name of its own owner has
    // an empty one. Verdicts are numbers, so that they can be compared.
    "service: runs, entries, loops, usage, tokens and audit",
    "CREATE TABLE projects (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE
    );
    CREATE TABLE runs (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        project INTEGER NOT NULL,
        name TEXT NOT NULL,
        started INTEGER NOT NULL,
        seen INTEGER NOT NULL,
        last_seq INTEGER NOT NULL,
        owner TEXT NOT NULL,
        epoch INTEGER NOT NULL,
        until INTEGER NOT NULL,
        stop_request TEXT,
        steps INTEGER NOT NULL,
        turn INTEGER NOT NULL,
        verdict INTEGER NOT NULL,
        worst INTEGER NOT NULL,
        findings INTEGER NOT NULL,
        cost REAL NOT NULL,
        tokens INTEGER NOT NULL,
        wasted_steps INTEGER NOT NULL,
        wasted_cost REAL NOT NULL,
        wasted_tokens INTEGER NOT NULL,
        model TEXT NOT NULL,
        agent TEXT NOT NULL,
        stopped TEXT NOT NULL,
        held_out INTEGER,
        warned_at INTEGER,
        UNIQUE (project, name)
    );
    CREATE INDEX runs_by_time ON runs (seen, id);
    CREATE TABLE snapshots (
        run INTEGER PRIMARY KEY,
        seq INTEGER NOT NULL,
        state TEXT NOT NULL
    );
    CREATE TABLE entries (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        project INTEGER NOT NULL,
        run INTEGER,
        seq INTEGER NOT NULL,
        at INTEGER NOT NULL,
        kind TEXT NOT NULL,
        key TEXT,
        verdict INTEGER NOT NULL,
        notable INTEGER NOT NULL,
        input TEXT NOT NULL,
        answer TEXT NOT NULL
    );
    CREATE INDEX entries_by_run ON entries (run, seq);
    CREATE UNIQUE INDEX entries_by_key ON entries (run, key) WHERE key IS NOT NULL;
    CREATE INDEX notable_entries ON entries (project, id) WHERE notable = 1;
    CREATE TABLE loops (
        project INTEGER NOT NULL,
        loop TEXT NOT NULL,
        state TEXT NOT NULL,
        detector TEXT NOT NULL,
        pattern TEXT NOT NULL,
        severity TEXT NOT NULL,
        reason TEXT NOT NULL,
        tool TEXT NOT NULL,
        action TEXT NOT NULL,
        model TEXT NOT NULL,
        rule TEXT NOT NULL,
        findings INTEGER NOT NULL,
        runs INTEGER NOT NULL,
        steps INTEGER NOT NULL,
        cost REAL NOT NULL,
        tokens INTEGER NOT NULL,
        first_seen INTEGER NOT NULL,
        last_seen INTEGER NOT NULL,
        last_run TEXT NOT NULL,
        PRIMARY KEY (project, loop)
    ) WITHOUT ROWID;
    CREATE TABLE loop_runs (
        project INTEGER NOT NULL,
        loop TEXT NOT NULL,
        run INTEGER NOT NULL,
        PRIMARY KEY (project, loop, run)
    ) WITHOUT ROWID;
    CREATE INDEX loop_runs_by_run ON loop_runs (run);
    CREATE TABLE usage (
        project INTEGER NOT NULL,
        day INTEGER NOT NULL,
        model TEXT NOT NULL,
        detector TEXT NOT NULL,
        steps INTEGER NOT NULL,
        tokens INTEGER NOT NULL,
        cost REAL NOT NULL,
        PRIMARY KEY (project, day, model, detector)
    ) WITHOUT ROWID;
    CREATE TABLE tokens (
        id TEXT PRIMARY KEY,
        note TEXT NOT NULL,
        hash TEXT NOT NULL,
        project TEXT NOT NULL,
        scopes TEXT NOT NULL,
        created INTEGER NOT NULL,
        expires INTEGER
    ) WITHOUT ROWID;
    CREATE TABLE audit (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        at INTEGER NOT NULL,
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
        project INTEGER NOT NULL,
        kind INTEGER NOT NULL,
        period INTEGER NOT NULL,
        usd REAL NOT NULL,
        findings INTEGER NOT NULL,
        since INTEGER NOT NULL,
        PRIMARY KEY (project, kind, period)
    ) WITHOUT ROWID;
    CREATE INDEX spending_by_period ON spending (kind, period);
    INSERT INTO spending (project, kind, period, usd, findings, since)
        SELECT project, 0, 0, sum(cost), 0, min(day) * 86400000 FROM usage WHERE detector = '' GROUP BY project;
    INSERT INTO spending (project, kind, period, usd, findings, since)
        SELECT project, 1, day, sum(cost), 0, day * 86400000 FROM usage WHERE detector = '' GROUP BY project, day;
    ALTER TABLE loops ADD COLUMN opened INTEGER NOT NULL DEFAULT 0;
    UPDATE loops SET opened = first_seen;
    CREATE INDEX loops_by_opening ON loops (opened);
    CREATE TABLE alert_rules (
        rule TEXT PRIMARY KEY,
        since INTEGER NOT NULL
    );
    CREATE TABLE alerts (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        rule TEXT NOT NULL,
        kind TEXT NOT NULL,
        project TEXT NOT NULL,
        key TEXT NOT NULL,
        loop TEXT NOT NULL,
        at INTEGER NOT NULL,
        value REAL NOT NULL,
        threshold REAL NOT NULL,
        title TEXT NOT NULL,
        reason TEXT NOT NULL,
        place TEXT NOT NULL,
        detail TEXT NOT NULL,
        ended INTEGER,
        UNIQUE (rule, project, key)
    );
    CREATE INDEX alerts_by_time ON alerts (at);
    CREATE TABLE alert_messages (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        alert INTEGER NOT NULL,
        rule TEXT NOT NULL,
        form TEXT NOT NULL,
        state TEXT NOT NULL,
        attempts INTEGER NOT NULL,
        due INTEGER NOT NULL,
        at INTEGER NOT NULL,
        error TEXT NOT NULL
    );
    CREATE INDEX messages_by_alert ON alert_messages (alert);
    CREATE INDEX due_messages ON alert_messages (due) WHERE state = 'waiting';",
    ),
];

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::super::{loop_rows, spending_rows};
    use super::*;
    use crate::service::LoopQuery;
    use crate::sqlite::apply_migrations;

    /// Milliseconds of a day.
    const DAY: i64 = 24 * 60 * 60 * 1000;

    #[test]
    fn a_store_of_the_first_version_keeps_what_it_knows_of_costs_and_loops() {
        let mut store = Connection::open_in_memory().unwrap();
        apply_migrations(&mut store, &SERVICE_MIGRATIONS[..1], 1).unwrap();
        store
            .execute_batch(
                "INSERT INTO projects (id, name) VALUES (1, 'a'), (2, 'b');
                INSERT INTO usage (project, day, model, detector, steps, tokens, cost) VALUES
                    (1, 9, 'm', '', 1, 1, 1.5), (1, 10, 'm', '', 1, 1, 2.0), (1, 10, 'n', '', 1, 1, 0.5),
                    (1, 10, 'm', 'cycle', 1, 1, 2.0), (2, 10, '', '', 1, 1, 7.0);
                INSERT INTO loops VALUES
                    (1, 'l', 'open', 'cycle', '', '', '', '', '', '', '', 1, 1, 1, 1.0, 1, 500, 900, 'r');",
            )
            .unwrap();
        apply_migrations(&mut store, SERVICE_MIGRATIONS, 2).unwrap();
        let spent = spending_rows::read(&store, Some("a"), 10 * DAY + 5).unwrap().shared;
        assert!((spent.day - 2.5).abs() < 1e-9 && (spent.total - 4.0).abs() < 1e-9, "{spent:?}");
        assert_eq!(spent.total_since, Some(9 * DAY));
        let loops = loop_rows::select(&store, &LoopQuery { limit: 9, ..LoopQuery::default() }).unwrap();
        assert_eq!(loops[0].opened, 500);
    }
}
