//! Deletion of runs.

use super::alert_rows;
use super::day_partitions::{DAY_MS, drop_partitions};
use super::postgres_session::PostgresSession;
use super::row_values::row_limit;
use super::run_rows;
use crate::service::ServiceRunKey;

pub(super) fn forget(
    session: &mut PostgresSession,
    key: &ServiceRunKey,
) -> Result<bool, tokio_postgres::Error> {
    let Some(run) = run_rows::find(session, key)? else { return Ok(false) };
    delete(session, &[run.id])?;
    Ok(true)
}

pub(super) fn prune(
    session: &mut PostgresSession,
    before: i64,
    limit: usize,
) -> Result<u64, tokio_postgres::Error> {
    let rows = session.query(
        "SELECT id FROM runs WHERE seen < $1 ORDER BY seen, id LIMIT $2",
        &[&before, &row_limit(limit)],
    )?;
    let runs: Vec<i64> = rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
    if !runs.is_empty() {
        delete(session, &runs)?;
    }
    // A decision about a loop is kept: it would come back as an open one.
    session.execute("DELETE FROM loops WHERE last_seen < $1 AND state IN ('open', 'fixed')", &[&before])?;
    drop_partitions(session, before)?;
    session.execute("DELETE FROM entries WHERE run IS NULL AND at < $1", &[&before])?;
    session.execute(
        "DELETE FROM entry_keys WHERE at < $1 AND NOT EXISTS \
         (SELECT FROM entries WHERE entries.at = entry_keys.at AND entries.id = entry_keys.id)",
        &[&before],
    )?;
    session.execute("DELETE FROM usage WHERE day < $1", &[&before.div_euclid(DAY_MS)])?;
    session.execute("DELETE FROM audit WHERE at < $1", &[&before])?;
    alert_rows::prune(session, before)?;
    Ok(runs.len() as u64)
}

/// Deletes runs and what is stored of them. Loops that were found only there are deleted too.
fn delete(session: &mut PostgresSession, runs: &[i64]) -> Result<(), tokio_postgres::Error> {
    let values: &[&(dyn tokio_postgres::types::ToSql + Sync)] = &[&runs];
    session.execute(
        "UPDATE loops SET runs = loops.runs - met.count, last_run = CASE WHEN last_run IN \
           (SELECT name FROM runs WHERE id = ANY($1)) THEN '' ELSE last_run END \
         FROM (SELECT project, loop, count(*) AS count FROM loop_runs WHERE run = ANY($1) GROUP BY project, loop) AS met \
         WHERE loops.project = met.project AND loops.loop = met.loop",
        values,
    )?;
    session.execute(
        "DELETE FROM loops USING loop_runs WHERE loops.runs <= 0 AND loops.state IN ('open', 'fixed') \
         AND loop_runs.run = ANY($1) AND loop_runs.project = loops.project AND loop_runs.loop = loops.loop",
        values,
    )?;
    for table in ["loop_runs", "entries", "entry_keys", "snapshots"] {
        session.execute(&format!("DELETE FROM {table} WHERE run = ANY($1)"), values)?;
    }
    session.execute("DELETE FROM runs WHERE id = ANY($1)", values)?;
    Ok(())
}
