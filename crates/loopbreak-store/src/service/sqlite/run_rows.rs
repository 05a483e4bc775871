//! Questions about runs.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params_from_iter};

use super::entry_rows;
use crate::service::{EntryKind, RunFigures, RunQuery, RunVerdict, ServiceRun, ServiceRunKey};

/// The columns that [`read_run`] reads, of `runs` joined with `projects`.
pub(super) const RUN_COLUMNS: &str = "runs.id, projects.name, runs.name, started, seen, last_seq, stop_request, steps, turn, \
     verdict, worst, findings, cost, tokens, wasted_steps, wasted_cost, wasted_tokens, model, agent, stopped, held_out, \
     warned_at";

pub(super) fn read_run(row: &Row<'_>) -> rusqlite::Result<ServiceRun> {
    Ok(ServiceRun {
        id: row.get(0)?,
        project: row.get(1)?,
        run: row.get(2)?,
        started: row.get(3)?,
        seen: row.get(4)?,
        last_seq: row.get(5)?,
        stop_request: row.get(6)?,
        figures: RunFigures {
            steps: row.get(7)?,
            turn: row.get(8)?,
            verdict: read_verdict(row, 9)?,
            worst: read_verdict(row, 10)?,
            findings: row.get(11)?,
            cost: row.get(12)?,
            tokens: row.get(13)?,
            wasted_steps: row.get(14)?,
            wasted_cost: row.get(15)?,
            wasted_tokens: row.get(16)?,
            model: row.get(17)?,
            agent: row.get(18)?,
            stopped: row.get(19)?,
            held_out: row.get(20)?,
            warned_at: row.get(21)?,
        },
    })
}

pub(super) fn read_verdict(row: &Row<'_>, column: usize) -> rusqlite::Result<RunVerdict> {
    let number: usize = row.get(column)?;
    Ok(RunVerdict::ALL.get(number).copied().unwrap_or(RunVerdict::Stop))
}

pub(super) fn find(connection: &Connection, key: &ServiceRunKey) -> rusqlite::Result<Option<ServiceRun>> {
    let sql = format!(
        "SELECT {RUN_COLUMNS} FROM runs JOIN projects ON projects.id = project \
         WHERE projects.name = ?1 AND runs.name = ?2"
    );
    connection.query_row(&sql, (&key.project, &key.run), read_run).optional()
}

pub(super) fn select(connection: &Connection, query: &RunQuery) -> rusqlite::Result<Vec<ServiceRun>> {
    let mut values: Vec<Value> = Vec::new();
    let mut sql =
        format!("SELECT {RUN_COLUMNS} FROM runs JOIN projects ON projects.id = project WHERE last_seq > 0");
    if let Some(project) = &query.project {
        sql.push_str(" AND projects.name = ?");
        values.push(project.clone().into());
    }
    if let Some(since) = query.since {
        sql.push_str(" AND seen >= ?");
        values.push(since.into());
    }
    if let Some(verdict) = query.verdict {
        sql.push_str(" AND verdict >= ?");
        values.push((verdict as i64).into());
    }
    if let Some(text) = &query.text {
        sql.push_str(" AND instr(runs.name, ?) > 0");
        values.push(text.clone().into());
    }
    if let Some(id) = &query.loop_id {
        sql.push_str(
            " AND runs.id IN (SELECT run FROM loop_runs WHERE loop_runs.project = runs.project AND loop = ?)",
        );
        values.push(id.clone().into());
    }
    if let Some((seen, id)) = query.after {
        sql.push_str(" AND (seen, runs.id) < (?, ?)");
        values.extend([seen.into(), id.into()]);
    }
    sql.push_str(" ORDER BY seen DESC, runs.id DESC LIMIT ?");
    values.push(row_limit(query.limit));
    connection.prepare(&sql)?.query_map(params_from_iter(values), read_run)?.collect()
}

/// Returns a number of rows as SQLite takes it.
pub(super) fn row_limit(rows: usize) -> Value {
    i64::try_from(rows).unwrap_or(i64::MAX).into()
}

pub(super) fn count(connection: &Connection, since: i64) -> rusqlite::Result<Vec<(RunVerdict, u64)>> {
    connection
        .prepare(
            "SELECT verdict, count(*) FROM runs WHERE seen >= ?1 AND last_seq > 0 GROUP BY verdict ORDER BY verdict",
        )?
        .query_map((since,), |row| Ok((read_verdict(row, 0)?, row.get(1)?)))?
        .collect()
}

pub(super) fn request_stop(
    change: &Transaction<'_>,
    key: &ServiceRunKey,
    reason: Option<&str>,
    now: i64,
) -> rusqlite::Result<bool> {
    let Some(run) = find(change, key)? else { return Ok(false) };
    change.execute("UPDATE runs SET stop_request = ?2 WHERE id = ?1", (run.id, reason))?;
    let detail = serde_json::json!({"stop": reason}).to_string();
    entry_rows::note(change, &key.project, Some(run.id), EntryKind::StopRequest, &detail, now)?;
    Ok(true)
}
