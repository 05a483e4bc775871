//! Leases.

use rusqlite::{OptionalExtension as _, Transaction};

use super::run_rows::{RUN_COLUMNS, read_run};
use crate::service::{ClaimedRun, RunClaim, RunLease, ServiceRunKey};

pub(super) fn claim(
    change: &Transaction<'_>,
    keys: &[ServiceRunKey],
    owner: &str,
    now: i64,
    until: i64,
) -> rusqlite::Result<Vec<RunClaim>> {
    let mut find = change.prepare(
        "SELECT runs.id, owner, until FROM runs JOIN projects ON projects.id = project \
         WHERE projects.name = ?1 AND runs.name = ?2",
    )?;
    let mut take = change
        .prepare("UPDATE runs SET owner = ?2, epoch = epoch + 1, until = ?3 WHERE id = ?1 RETURNING epoch")?;
    let sql =
        format!("SELECT {RUN_COLUMNS} FROM runs JOIN projects ON projects.id = project WHERE runs.id = ?1");
    let mut read = change.prepare(&sql)?;
    let mut claims = Vec::with_capacity(keys.len());
    for key in keys {
        let known = find
            .query_row((&key.project, &key.run), |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, i64>(2)?))
            })
            .optional()?;
        let id = match known {
            Some((_, holder, ends)) if !holder.is_empty() && holder != owner && ends > now => {
                claims.push(RunClaim::Held { owner: holder, until: ends });
                continue;
            }
            Some((id, ..)) => id,
            None => insert(change, key, now)?,
        };
        let epoch = take.query_row((id, owner, until), |row| row.get(0))?;
        let run = read.query_row((id,), read_run)?;
        let lease = RunLease { run: id, owner: owner.to_owned(), epoch };
        claims.push(RunClaim::Granted(Box::new(ClaimedRun { lease, run })));
    }
    Ok(claims)
}

fn insert(change: &Transaction<'_>, key: &ServiceRunKey, now: i64) -> rusqlite::Result<i64> {
    let project = project_id(change, &key.project)?;
    change.query_row(
        "INSERT INTO runs (project, name, started, seen, last_seq, owner, epoch, until, steps, turn, verdict, worst, \
         findings, cost, tokens, wasted_steps, wasted_cost, wasted_tokens, model, agent, stopped) \
         VALUES (?1, ?2, ?3, ?3, 0, '', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '', '', '') RETURNING id",
        (project, &key.run, now),
        |row| row.get(0),
    )
}

/// Returns the number of a project, and adds it if it is new.
pub(super) fn project_id(change: &Transaction<'_>, name: &str) -> rusqlite::Result<i64> {
    let known = change.query_row("SELECT id FROM projects WHERE name = ?1", (name,), |row| row.get(0));
    match known.optional()? {
        Some(id) => Ok(id),
        None => change
            .query_row("INSERT INTO projects (name) VALUES (?1) RETURNING id", (name,), |row| row.get(0)),
    }
}

pub(super) fn renew(
    change: &Transaction<'_>,
    leases: &[RunLease],
    until: i64,
) -> rusqlite::Result<Vec<bool>> {
    let mut renew =
        change.prepare("UPDATE runs SET until = ?4 WHERE id = ?1 AND owner = ?2 AND epoch = ?3")?;
    let renewed =
        leases.iter().map(|lease| Ok(renew.execute((lease.run, &lease.owner, lease.epoch, until))? > 0));
    renewed.collect()
}

pub(super) fn release(change: &Transaction<'_>, leases: &[RunLease]) -> rusqlite::Result<()> {
    let mut release = change
        .prepare("UPDATE runs SET owner = '', until = 0 WHERE id = ?1 AND owner = ?2 AND epoch = ?3")?;
    for lease in leases {
        release.execute((lease.run, &lease.owner, lease.epoch))?;
    }
    Ok(())
}
