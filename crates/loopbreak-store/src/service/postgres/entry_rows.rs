//! Questions about entries.

use tokio_postgres::Row;

use super::append_rows::next_ids;
use super::lease_rows::project_id;
use super::postgres_session::{PostgresSession, SqlValues};
use super::row_values::{row_limit, signed, storable, unsigned, verdict};
use super::sql_text::SqlText;
use crate::service::{EntryKind, EntryOrder, EntryQuery, LoadedRun, LogEntry, StateSnapshot};

/// The columns that [`read_entry`] reads, and their tables.
const SELECT: &str = "SELECT entries.id, projects.name, runs.name, seq, entries.at, kind, entries.key, entries.verdict, \
     notable, input, answer FROM entries JOIN projects ON projects.id = entries.project \
     LEFT JOIN runs ON runs.id = entries.run";

fn read_entry(row: &Row) -> Result<Option<LogEntry>, tokio_postgres::Error> {
    // An entry of a later release.
    let Ok(kind) = row.try_get::<_, &str>(5)?.parse() else { return Ok(None) };
    Ok(Some(LogEntry {
        id: row.try_get(0)?,
        project: row.try_get(1)?,
        run: row.try_get(2)?,
        seq: unsigned(row, 3)?,
        at: row.try_get(4)?,
        kind,
        key: row.try_get(6)?,
        verdict: verdict(row, 7)?,
        notable: row.try_get(8)?,
        input: row.try_get(9)?,
        answer: row.try_get(10)?,
    }))
}

fn collect(
    session: &mut PostgresSession,
    sql: &str,
    values: SqlValues<'_>,
) -> Result<Vec<LogEntry>, tokio_postgres::Error> {
    session.query(sql, values)?.iter().filter_map(|row| read_entry(row).transpose()).collect()
}

pub(super) fn load(session: &mut PostgresSession, run: i64) -> Result<LoadedRun, tokio_postgres::Error> {
    let row = session.query_opt("SELECT seq, state FROM snapshots WHERE run = $1", &[&run])?;
    let snapshot = row
        .map(|row| {
            Ok::<_, tokio_postgres::Error>(StateSnapshot { seq: unsigned(&row, 0)?, state: row.try_get(1)? })
        })
        .transpose()?;
    let after = snapshot.as_ref().map_or(0, |snapshot| signed(snapshot.seq));
    let sql = format!("{SELECT} WHERE entries.run = $1 AND seq > $2 ORDER BY seq");
    let entries = collect(session, &sql, &[&run, &after])?;
    Ok(LoadedRun { snapshot, entries })
}

pub(super) fn find_keys(
    session: &mut PostgresSession,
    run: i64,
    keys: &[&str],
) -> Result<Vec<LogEntry>, tokio_postgres::Error> {
    let keys: Vec<_> = keys.iter().map(|key| storable(key)).collect();
    let sql = format!(
        "{SELECT} JOIN entry_keys ON entry_keys.id = entries.id AND entry_keys.at = entries.at \
         WHERE entry_keys.run = $1 AND entry_keys.key = ANY($2) ORDER BY array_position($2, entry_keys.key)"
    );
    collect(session, &sql, &[&run, &keys])
}

pub(super) fn select(
    session: &mut PostgresSession,
    query: &EntryQuery,
) -> Result<Vec<LogEntry>, tokio_postgres::Error> {
    let project = query.project.as_deref().map(storable);
    let kinds: Vec<&str> = query.kinds.iter().map(|kind| kind.as_str()).collect();
    let limit = row_limit(query.limit);
    let mut sql = SqlText::new(format!("{SELECT} WHERE true"));
    sql.push_if(" AND entries.project = (SELECT id FROM projects WHERE name = ?)", project.as_ref());
    sql.push_if(" AND entries.run = ?", query.run.as_ref());
    if query.notable {
        sql.push(" AND notable");
    }
    sql.push_if(" AND kind = ANY(?)", Some(&kinds).filter(|kinds| !kinds.is_empty()));
    let (after, order) = match query.order {
        EntryOrder::OldestFirst => (" AND entries.id > ?", " ORDER BY entries.id LIMIT ?"),
        EntryOrder::LatestFirst => (" AND entries.id < ?", " ORDER BY entries.id DESC LIMIT ?"),
    };
    sql.push_if(after, query.after.as_ref());
    sql.push_with(order, &[&limit]);
    collect(session, sql.text(), sql.values())
}

pub(super) fn last(session: &mut PostgresSession) -> Result<i64, tokio_postgres::Error> {
    session.query_one("SELECT coalesce(max(id), 0) FROM entries", &[])?.try_get(0)
}

/// Adds an entry about what people did. It is not part of the life of a guard.
pub(super) fn note(
    session: &mut PostgresSession,
    project: &str,
    run: Option<i64>,
    kind: EntryKind,
    detail: &str,
    now: i64,
) -> Result<(), tokio_postgres::Error> {
    let project = project_id(session, project)?;
    let id = next_ids(session, 1)?;
    session.execute(
        "INSERT INTO entries (id, project, run, seq, at, kind, verdict, notable, input, answer) \
         VALUES ($1, $2, $3, 0, $4, $5, 0, true, $6, '')",
        &[&id, &project, &run, &now, &kind.as_str(), &storable(detail)],
    )?;
    Ok(())
}
