//! Stores whose file is sound and whose tables or rows are not as the program left them.

use std::fs;

use super::random_damage::{SESSIONS, STEPS, heals};
use crate::chore_failure::ChoreFailure;
use crate::faults::fault_lab::FaultLab;
use crate::faults::fault_trial::{ExpectedEnd, FaultTrial};
use crate::faults::hook_process::HookConditions;
use crate::faults::part_figures::PartFigures;
use crate::trial::TrialHome;

/// Damages by SQL, with what they do.
const DAMAGES: &[(&str, &str)] = &[
    ("migrations empty", "DELETE FROM migrations"),
    ("migrations gone", "DROP TABLE migrations"),
    ("migrations forgotten", "DELETE FROM migrations WHERE version > 1"),
    ("migrations of another kind", "DELETE FROM migrations; INSERT INTO migrations VALUES (-7, 'x', 0)"),
    ("runs empty", "DELETE FROM runs"),
    ("runs gone", "DROP TABLE runs"),
    ("guards gone", "DROP TABLE guards"),
    ("events gone", "DROP TABLE events"),
    (
        "tables of tasks gone",
        "DROP TABLE tasks; DROP TABLE attempts; DROP TABLE recoveries; DROP TABLE roadmap",
    ),
    (
        "a trigger that refuses events",
        "CREATE TRIGGER t BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'no'); END",
    ),
    (
        "a trigger that refuses guards",
        "CREATE TRIGGER t BEFORE UPDATE ON guards BEGIN SELECT RAISE(ABORT, 'no'); END",
    ),
    (
        "a trigger that ignores events",
        "CREATE TRIGGER t BEFORE INSERT ON events BEGIN SELECT RAISE(IGNORE); END",
    ),
    ("rows of guards gone", "DELETE FROM guards"),
    ("a column renamed", "ALTER TABLE guards RENAME COLUMN state TO condition"),
    ("a column added that must be filled", "ALTER TABLE guards ADD COLUMN more TEXT NOT NULL DEFAULT ''"),
    ("a view in place of a table", "ALTER TABLE events RENAME TO e; CREATE VIEW events AS SELECT * FROM e"),
    ("counter of events too low", "UPDATE guards SET events = 1"),
    ("counter of events negative", "UPDATE guards SET events = -5"),
    ("counter of events at its limit", "UPDATE guards SET events = 9223372036854775807"),
    ("counter of events a text", "UPDATE guards SET events = 'many'"),
    ("events of the future", "UPDATE events SET number = number + 9000000"),
    ("events removed", "DELETE FROM events"),
    ("state a blob", "UPDATE guards SET state = x'00ff00ff'"),
    ("state not JSON", "UPDATE guards SET state = '{\"guard\":'"),
    ("state another JSON", "UPDATE guards SET state = '[1,2,3]'"),
    ("snapshot of a later version", "UPDATE guards SET state = json_set(state, '$.guard.version', 99)"),
    ("snapshot without content", "UPDATE guards SET state = json_set(state, '$.guard.state', json('{}'))"),
    ("snapshot of wrong types", "UPDATE guards SET state = json_set(state, '$.guard.state.turn', 'seven')"),
    ("times texts", "UPDATE guards SET seen = 'yesterday'; UPDATE runs SET started = 'before', day = 'x'"),
    (
        "times at their limit",
        "UPDATE guards SET seen = 9223372036854775807; UPDATE runs SET day = 9223372036854775807",
    ),
    ("details not JSON", "UPDATE events SET detail = 'x', kind = ''"),
    ("not a write-ahead log", "PRAGMA journal_mode = DELETE"),
    (
        "of another program",
        "PRAGMA application_id = 7; PRAGMA user_version = 12; DROP TABLE runs; CREATE TABLE runs (a)",
    ),
];

pub(super) fn run(lab: &FaultLab) -> Result<PartFigures, ChoreFailure> {
    let home = lab.used_home(&SESSIONS, STEPS)?;
    let damages = lab.sample(DAMAGES.to_vec(), 7);
    let mut figures = lab.run_all(&damages, |(name, sql)| {
        let home = lab.copy_home(&home)?;
        home.sql(sql).map_err(|reason| ChoreFailure::Failed(format!("{name}: {reason}")))?;
        heals(FaultTrial::new(lab, *name, home))
    })?;
    figures.add(schema_format(lab, &home)?);
    figures.add(later_version(lab, &home)?);
    Ok(figures)
}

/// One byte of the file makes SQLite say that its format is not supported.
fn schema_format(lab: &FaultLab, home: &TrialHome) -> Result<PartFigures, ChoreFailure> {
    let home = lab.copy_home(home)?;
    home.sql("PRAGMA wal_checkpoint(TRUNCATE)").map_err(ChoreFailure::Failed)?;
    let failed = |error: std::io::Error| ChoreFailure::io("change the format of a store", &error);
    let mut bytes = fs::read(home.store()).map_err(failed)?;
    bytes[47] = 9;
    fs::write(home.store(), bytes).map_err(failed)?;
    heals(FaultTrial::new(lab, "schema format of the future", home))
}

/// A store of a later version belongs to a newer program, so it is left as it is. The agent continues, and the user is told.
fn later_version(lab: &FaultLab, home: &TrialHome) -> Result<PartFigures, ChoreFailure> {
    let home = lab.copy_home(home)?;
    home.sql("INSERT INTO migrations VALUES (99, 'of the future', 0)").map_err(ChoreFailure::Failed)?;
    let mut trial = FaultTrial::new(lab, "store of a later version", home).knows(&SESSIONS, STEPS);
    for session in SESSIONS {
        let reply = trial.hook(session, &HookConditions::default(), ExpectedEnd::Success)?;
        if !reply.err.contains("written by a newer Loopbreak") {
            trial.broke(format_args!("nobody is told about the later version: {}", reply.describe()));
        }
    }
    let version = trial.home.sql("SELECT max(version), (SELECT count(*) FROM events) FROM migrations");
    if version != Ok(format!("99|{}", SESSIONS.len() * STEPS)) || trial.home.stores_put_aside() > 0 {
        trial.broke(format_args!("the store was changed: {version:?}"));
    }
    trial.figures.note("stores left to a newer program");
    // The program that can read the store comes back.
    trial.home.sql("DELETE FROM migrations WHERE version = 99").map_err(ChoreFailure::Failed)?;
    for session in SESSIONS {
        trial.next_hook_works(session)?;
    }
    trial.finish()
}
