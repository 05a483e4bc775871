//! Questions about entries.

use std::fmt::Write as _;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params_from_iter};

use super::lease_rows::project_id;
use super::run_rows::{read_verdict, row_limit};
use crate::service::{EntryKind, EntryOrder, EntryQuery, LoadedRun, LogEntry, StateSnapshot};

/// The columns that [`read_entry`] reads, and their tables.
const SELECT: &str = "SELECT entries.id, projects.name, runs.name, seq, at, kind, key, entries.verdict, notable, input, answer \
     FROM entries JOIN projects ON projects.id = entries.project LEFT JOIN runs ON runs.id = entries.run";

fn read_entry(row: &Row<'_>) -> rusqlite::Result<Option<LogEntry>> {
    // An entry of a later release.
    let Ok(kind) = row.get::<_, String>(5)?.parse() else { return Ok(None) };
    Ok(Some(LogEntry {
        id: row.get(0)?,
        project: row.get(1)?,
        run: row.get(2)?,
        seq: row.get(3)?,
        at: row.get(4)?,
        kind,
        key: row.get(6)?,
        verdict: read_verdict(row, 7)?,
        notable: row.get(8)?,
        input: row.get(9)?,
        answer: row.get(10)?,
    }))
}

fn collect(
    connection: &Connection,
    sql: &str,
    values: impl rusqlite::Params,
) -> rusqlite::Result<Vec<LogEntry>> {
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map(values, read_entry)?;
    rows.filter_map(Result::transpose).collect()
}

pub(super) fn load(connection: &Connection, run: i64) -> rusqlite::Result<LoadedRun> {
    // Both questions see the same moment.
    let moment = connection.unchecked_transaction()?;
    let snapshot = moment
        .query_row("SELECT seq, state FROM snapshots WHERE run = ?1", (run,), |row| {
            Ok(StateSnapshot { seq: row.get(0)?, state: row.get(1)? })
        })
        .optional()?;
    let after = snapshot.as_ref().map_or(0, |snapshot| snapshot.seq);
    let sql = format!("{SELECT} WHERE entries.run = ?1 AND seq > ?2 ORDER BY seq");
    let entries = collect(&moment, &sql, (run, after))?;
    Ok(LoadedRun { snapshot, entries })
}

pub(super) fn find_keys(connection: &Connection, run: i64, keys: &[&str]) -> rusqlite::Result<Vec<LogEntry>> {
    let mut statement = connection.prepare(&format!("{SELECT} WHERE entries.run = ?1 AND key = ?2"))?;
    let found = keys.iter().map(|key| statement.query_row((run, key), read_entry).optional());
    found.filter_map(|found| found.map(Option::flatten).transpose()).collect()
}

pub(super) fn select(connection: &Connection, query: &EntryQuery) -> rusqlite::Result<Vec<LogEntry>> {
    let mut values: Vec<Value> = Vec::new();
    let mut sql = format!("{SELECT} WHERE true");
    if let Some(project) = &query.project {
        sql.push_str(" AND entries.project = (SELECT id FROM projects WHERE name = ?)");
        values.push(project.clone().into());
    }
    if let Some(run) = query.run {
        sql.push_str(" AND entries.run = ?");
        values.push(run.into());
    }
    if query.notable {
        sql.push_str(" AND notable = 1");
    }
    if !query.kinds.is_empty() {
        let marks = vec!["?"; query.kinds.len()].join(", ");
        let _ = write!(sql, " AND kind IN ({marks})");
        values.extend(query.kinds.iter().map(|kind| Value::from(kind.as_str().to_owned())));
    }
    let (sign, order) = match query.order {
        EntryOrder::OldestFirst => (">", "ASC"),
        EntryOrder::LatestFirst => ("<", "DESC"),
    };
    if let Some(after) = query.after {
        let _ = write!(sql, " AND entries.id {sign} ?");
        values.push(after.into());
    }
    let _ = write!(sql, " ORDER BY entries.id {order} LIMIT ?");
    values.push(row_limit(query.limit));
    collect(connection, &sql, params_from_iter(values))
}

pub(super) fn last(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("SELECT coalesce(max(id), 0) FROM entries", (), |row| row.get(0))
}

/// Adds an entry about what people did. It is not part of the life of a guard.
pub(super) fn note(
    change: &Transaction<'_>,
    project: &str,
    run: Option<i64>,
    kind: EntryKind,
    detail: &str,
    now: i64,
) -> rusqlite::Result<()> {
    let project = project_id(change, project)?;
    change.execute(
        "INSERT INTO entries (project, run, seq, at, kind, verdict, notable, input, answer) \
         VALUES (?1, ?2, 0, ?3, ?4, 0, 1, ?5, '')",
        (project, run, now, kind.as_str(), detail),
    )?;
    Ok(())
}
