//! Questions about runs.

use postgres::Row;
use postgres::types::ToSql;

use super::entry_rows;
use super::postgres_session::PostgresSession;
use super::row_values::{storable, unsigned, verdict};
use crate::service::{EntryKind, RunFigures, RunQuery, RunVerdict, ServiceRun, ServiceRunKey};

/// The columns that [`read_run`] reads, of `runs` joined with `projects`.
pub(super) const RUN_COLUMNS: &str = "runs.id, projects.name, runs.name, started, seen, last_seq, stop_request, steps, turn, \
     verdict, worst, findings, cost, tokens, wasted_steps, wasted_cost, wasted_tokens, model, agent, stopped, held_out, \
     warned_at";

pub(super) fn read_run(row: &Row) -> Result<ServiceRun, postgres::Error> {
    Ok(ServiceRun {
        id: row.try_get(0)?,
        project: row.try_get(1)?,
        run: row.try_get(2)?,
        started: row.try_get(3)?,
        seen: row.try_get(4)?,
        last_seq: unsigned(row, 5)?,
        stop_request: row.try_get(6)?,
        figures: RunFigures {
            steps: unsigned(row, 7)?,
            turn: unsigned(row, 8)?,
            verdict: verdict(row, 9)?,
            worst: verdict(row, 10)?,
            findings: unsigned(row, 11)?,
            cost: row.try_get(12)?,
            tokens: unsigned(row, 13)?,
            wasted_steps: unsigned(row, 14)?,
            wasted_cost: row.try_get(15)?,
            wasted_tokens: unsigned(row, 16)?,
            model: row.try_get(17)?,
            agent: row.try_get(18)?,
            stopped: row.try_get(19)?,
            held_out: row.try_get(20)?,
            warned_at: row.try_get::<_, Option<i64>>(21)?.and_then(|turn| u64::try_from(turn).ok()),
        },
    })
}

pub(super) fn find(
    session: &mut PostgresSession,
    key: &ServiceRunKey,
) -> Result<Option<ServiceRun>, postgres::Error> {
    let sql = format!(
        "SELECT {RUN_COLUMNS} FROM runs JOIN projects ON projects.id = project \
         WHERE projects.name = $1 AND runs.name = $2"
    );
    let row = session.query_opt(&sql, &[&storable(&key.project), &storable(&key.run)])?;
    row.as_ref().map(read_run).transpose()
}

pub(super) fn select(
    session: &mut PostgresSession,
    query: &RunQuery,
) -> Result<Vec<ServiceRun>, postgres::Error> {
    let project = query.project.as_deref().map(storable);
    let text = query.text.as_deref().map(storable);
    let loop_id = query.loop_id.as_deref().map(storable);
    let least = query.verdict.map(|verdict| verdict as i16);
    let limit = query.limit as i64;
    let mut values: Vec<&(dyn ToSql + Sync)> = Vec::new();
    let mut sql =
        format!("SELECT {RUN_COLUMNS} FROM runs JOIN projects ON projects.id = project WHERE last_seq > 0");
    if let Some(project) = &project {
        values.push(project);
        sql.push_str(&format!(" AND projects.name = ${}", values.len()));
    }
    if let Some(since) = &query.since {
        values.push(since);
        sql.push_str(&format!(" AND seen >= ${}", values.len()));
    }
    if let Some(least) = &least {
        values.push(least);
        sql.push_str(&format!(" AND verdict >= ${}", values.len()));
    }
    if let Some(text) = &text {
        values.push(text);
        sql.push_str(&format!(" AND strpos(runs.name, ${}) > 0", values.len()));
    }
    if let Some(id) = &loop_id {
        values.push(id);
        sql.push_str(&format!(
            " AND runs.id IN (SELECT run FROM loop_runs WHERE loop_runs.project = runs.project AND loop = ${})",
            values.len()
        ));
    }
    if let Some((seen, id)) = &query.after {
        values.push(seen);
        values.push(id);
        sql.push_str(&format!(" AND (seen, runs.id) < (${}, ${})", values.len() - 1, values.len()));
    }
    values.push(&limit);
    sql.push_str(&format!(" ORDER BY seen DESC, runs.id DESC LIMIT ${}", values.len()));
    session.query(&sql, &values)?.iter().map(read_run).collect()
}

pub(super) fn count(
    session: &mut PostgresSession,
    since: i64,
) -> Result<Vec<(RunVerdict, u64)>, postgres::Error> {
    let sql = "SELECT verdict, count(*) FROM runs WHERE seen >= $1 AND last_seq > 0 GROUP BY verdict ORDER BY verdict";
    session.query(sql, &[&since])?.iter().map(|row| Ok((verdict(row, 0)?, unsigned(row, 1)?))).collect()
}

pub(super) fn request_stop(
    session: &mut PostgresSession,
    key: &ServiceRunKey,
    reason: Option<&str>,
    now: i64,
) -> Result<bool, postgres::Error> {
    let Some(run) = find(session, key)? else { return Ok(false) };
    let stored = reason.map(storable);
    session.execute("UPDATE runs SET stop_request = $2 WHERE id = $1", &[&run.id, &stored])?;
    let detail = serde_json::json!({"stop": reason}).to_string();
    let project = key.project.as_str();
    entry_rows::note(session, project, Some(run.id), EntryKind::StopRequest, &detail, now)?;
    Ok(true)
}
