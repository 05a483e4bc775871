//! Deletion of runs.

use rusqlite::{OptionalExtension as _, Transaction};

use super::alert_rows;
use crate::service::ServiceRunKey;

/// Milliseconds of a day.
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

pub(super) fn forget(change: &Transaction<'_>, key: &ServiceRunKey) -> rusqlite::Result<bool> {
    let id: Option<i64> = change
        .query_row(
            "SELECT runs.id FROM runs JOIN projects ON projects.id = project WHERE projects.name = ?1 AND runs.name = ?2",
            (&key.project, &key.run),
            |row| row.get(0),
        )
        .optional()?;
    let Some(id) = id else { return Ok(false) };
    // Overwrites pages that become free, too.
    change.execute_batch("PRAGMA secure_delete = ON")?;
    let deleted = delete(change, id);
    change.execute_batch("PRAGMA secure_delete = FAST")?;
    deleted.map(|()| true)
}

pub(super) fn prune(change: &Transaction<'_>, before: i64, limit: usize) -> rusqlite::Result<u64> {
    let ids: Vec<i64> = change
        .prepare("SELECT id FROM runs WHERE seen < ?1 ORDER BY seen, id LIMIT ?2")?
        .query_map((before, limit), |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    for id in &ids {
        delete(change, *id)?;
    }
    // A decision about a loop is kept: it would come back as an open one.
    change.execute("DELETE FROM loops WHERE last_seen < ?1 AND state IN ('open', 'fixed')", (before,))?;
    change.execute("DELETE FROM entries WHERE run IS NULL AND at < ?1", (before,))?;
    change.execute("DELETE FROM usage WHERE day < ?1", (before.div_euclid(DAY_MS),))?;
    change.execute("DELETE FROM audit WHERE at < ?1", (before,))?;
    alert_rows::prune(change, before)?;
    Ok(ids.len() as u64)
}

/// Deletes a run and what is stored of it. Loops that were found only there are deleted too.
fn delete(change: &Transaction<'_>, id: i64) -> rusqlite::Result<()> {
    change.execute(
        "UPDATE loops SET runs = runs - 1, last_run = CASE WHEN last_run = (SELECT name FROM runs WHERE id = ?1) THEN '' \
         ELSE last_run END WHERE (project, loop) IN (SELECT project, loop FROM loop_runs WHERE run = ?1)",
        (id,),
    )?;
    change.execute(
        "DELETE FROM loops WHERE runs <= 0 AND state IN ('open', 'fixed') \
         AND (project, loop) IN (SELECT project, loop FROM loop_runs WHERE run = ?1)",
        (id,),
    )?;
    change.execute("DELETE FROM loop_runs WHERE run = ?1", (id,))?;
    change.execute("DELETE FROM entries WHERE run = ?1", (id,))?;
    change.execute("DELETE FROM snapshots WHERE run = ?1", (id,))?;
    change.execute("DELETE FROM runs WHERE id = ?1", (id,))?;
    Ok(())
}
