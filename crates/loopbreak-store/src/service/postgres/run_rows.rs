//! Questions about runs.

use tokio_postgres::Row;

use super::entry_rows;
use super::postgres_session::PostgresSession;
use super::row_values::{row_limit, storable, unsigned, verdict};
use super::sql_text::SqlText;
use crate::service::{EntryKind, RunFigures, RunQuery, RunVerdict, ServiceRun, ServiceRunKey};

/// The columns that [`read_run`] reads, of `runs` joined with `projects`.
pub(super) const RUN_COLUMNS: &str = "runs.id, projects.name, runs.name, started, seen, last_seq, stop_request, steps, turn, \
     verdict, worst, findings, cost, tokens, wasted_steps, wasted_cost, wasted_tokens, model, agent, stopped, held_out, \
     warned_at";

pub(super) fn read_run(row: &Row) -> Result<ServiceRun, tokio_postgres::Error> {
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
) -> Result<Option<ServiceRun>, tokio_postgres::Error> {
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
) -> Result<Vec<ServiceRun>, tokio_postgres::Error> {
    let project = query.project.as_deref().map(storable);
    let text = query.text.as_deref().map(storable);
    let loop_id = query.loop_id.as_deref().map(storable);
    let least = query.verdict.map(|verdict| verdict as i16);
    let limit = row_limit(query.limit);
    let mut sql = SqlText::new(format!(
        "SELECT {RUN_COLUMNS} FROM runs JOIN projects ON projects.id = project WHERE last_seq > 0"
    ));
    sql.push_if(" AND projects.name = ?", project.as_ref());
    sql.push_if(" AND seen >= ?", query.since.as_ref());
    sql.push_if(" AND verdict >= ?", least.as_ref());
    sql.push_if(" AND strpos(runs.name, ?) > 0", text.as_ref());
    sql.push_if(
        " AND runs.id IN (SELECT run FROM loop_runs WHERE loop_runs.project = runs.project AND loop = ?)",
        loop_id.as_ref(),
    );
    if let Some((seen, id)) = &query.after {
        sql.push_with(" AND (seen, runs.id) < (?, ?)", &[seen, id]);
    }
    sql.push_with(" ORDER BY seen DESC, runs.id DESC LIMIT ?", &[&limit]);
    session.query(sql.text(), sql.values())?.iter().map(read_run).collect()
}

pub(super) fn count(
    session: &mut PostgresSession,
    since: i64,
) -> Result<Vec<(RunVerdict, u64)>, tokio_postgres::Error> {
    let sql = "SELECT verdict, count(*) FROM runs WHERE seen >= $1 AND last_seq > 0 GROUP BY verdict ORDER BY verdict";
    session.query(sql, &[&since])?.iter().map(|row| Ok((verdict(row, 0)?, unsigned(row, 1)?))).collect()
}

pub(super) fn request_stop(
    session: &mut PostgresSession,
    key: &ServiceRunKey,
    reason: Option<&str>,
    now: i64,
) -> Result<bool, tokio_postgres::Error> {
    let Some(run) = find(session, key)? else { return Ok(false) };
    let stored = reason.map(storable);
    session.execute("UPDATE runs SET stop_request = $2 WHERE id = $1", &[&run.id, &stored])?;
    let detail = serde_json::json!({"stop": reason}).to_string();
    let project = key.project.as_str();
    entry_rows::note(session, project, Some(run.id), EntryKind::StopRequest, &detail, now)?;
    Ok(true)
}
