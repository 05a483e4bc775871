//! The tables of the service. A published migration never changes: add another one.

/// Migrations as pairs of name and SQL.
pub(super) const SERVICE_MIGRATIONS: &[(&str, &str)] = &[(
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
)];
