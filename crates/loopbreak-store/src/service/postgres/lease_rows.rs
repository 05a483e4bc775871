//! Leases.

use std::collections::{BTreeMap, HashSet};

use super::postgres_session::PostgresSession;
use super::row_values::{signed, storable, unsigned};
use super::run_rows::{RUN_COLUMNS, read_run};
use crate::service::{ClaimedRun, RunClaim, RunLease, ServiceRunKey};

pub(super) fn claim(
    session: &mut PostgresSession,
    keys: &[ServiceRunKey],
    owner: &str,
    now: i64,
    until: i64,
) -> Result<Vec<RunClaim>, tokio_postgres::Error> {
    // Rows are locked in the same order by all servers, so that no two wait for each other.
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by(|a, b| keys[*a].cmp(&keys[*b]));
    let mut claims = BTreeMap::new();
    for index in order {
        claims.insert(index, claim_run(session, &keys[index], owner, now, until)?);
    }
    Ok(claims.into_values().collect())
}

fn claim_run(
    session: &mut PostgresSession,
    key: &ServiceRunKey,
    owner: &str,
    now: i64,
    until: i64,
) -> Result<RunClaim, tokio_postgres::Error> {
    let project = project_id(session, &key.project)?;
    let name = storable(&key.run);
    let take = format!(
        "UPDATE runs SET owner = $3, epoch = epoch + 1, until = $5 FROM projects \
         WHERE projects.id = project AND project = $1 AND runs.name = $2 AND (owner IN ('', $3) OR until <= $4) \
         RETURNING {RUN_COLUMNS}, epoch"
    );
    let insert =
        "INSERT INTO runs (project, name, started, seen) VALUES ($1, $2, $3, $3) ON CONFLICT DO NOTHING";
    let held = "SELECT owner, until FROM runs WHERE project = $1 AND name = $2";
    loop {
        if let Some(row) = session.query_opt(&take, &[&project, &name, &owner, &now, &until])? {
            let run = read_run(&row)?;
            let lease = RunLease { run: run.id, owner: owner.to_owned(), epoch: unsigned(&row, 22)? };
            return Ok(RunClaim::Granted(Box::new(ClaimedRun { lease, run })));
        }
        if session.execute(insert, &[&project, &name, &now])? > 0 {
            continue;
        }
        // Without a row, the run was forgotten a moment ago and is new now.
        if let Some(row) = session.query_opt(held, &[&project, &name])? {
            let (holder, ends): (String, i64) = (row.try_get(0)?, row.try_get(1)?);
            if !holder.is_empty() && holder != owner && ends > now {
                return Ok(RunClaim::Held { owner: holder, until: ends });
            }
        }
    }
}

/// Returns the number of a project, and adds it if it is new.
pub(super) fn project_id(session: &mut PostgresSession, name: &str) -> Result<i64, tokio_postgres::Error> {
    let name = storable(name);
    let find = "SELECT id FROM projects WHERE name = $1";
    if let Some(row) = session.query_opt(find, &[&name])? {
        return row.try_get(0);
    }
    session.execute("INSERT INTO projects (name) VALUES ($1) ON CONFLICT DO NOTHING", &[&name])?;
    session.query_one(find, &[&name])?.try_get(0)
}

/// Locks runs in the order of their numbers.
pub(super) fn lock_runs(session: &mut PostgresSession, runs: &[i64]) -> Result<(), tokio_postgres::Error> {
    session.query("SELECT id FROM runs WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE", &[&runs])?;
    Ok(())
}

pub(super) fn renew(
    session: &mut PostgresSession,
    leases: &[RunLease],
    until: i64,
) -> Result<Vec<bool>, tokio_postgres::Error> {
    let (runs, owners, epochs) = columns(leases);
    lock_runs(session, &runs)?;
    let sql = "UPDATE runs SET until = $4 FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS lease (run, owner, epoch) \
         WHERE runs.id = lease.run AND runs.owner = lease.owner AND runs.epoch = lease.epoch RETURNING runs.id, runs.epoch";
    let rows = session.query(sql, &[&runs, &owners, &epochs, &until])?;
    let renewed = rows
        .iter()
        .map(|row| Ok((row.try_get(0)?, row.try_get(1)?)))
        .collect::<Result<HashSet<(i64, i64)>, tokio_postgres::Error>>()?;
    Ok(leases.iter().map(|lease| renewed.contains(&(lease.run, signed(lease.epoch)))).collect())
}

pub(super) fn release(
    session: &mut PostgresSession,
    leases: &[RunLease],
) -> Result<(), tokio_postgres::Error> {
    let (runs, owners, epochs) = columns(leases);
    lock_runs(session, &runs)?;
    let sql = "UPDATE runs SET owner = '', until = 0 \
         FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS lease (run, owner, epoch) \
         WHERE runs.id = lease.run AND runs.owner = lease.owner AND runs.epoch = lease.epoch";
    session.execute(sql, &[&runs, &owners, &epochs])?;
    Ok(())
}

fn columns(leases: &[RunLease]) -> (Vec<i64>, Vec<&str>, Vec<i64>) {
    let runs = leases.iter().map(|lease| lease.run).collect();
    let owners = leases.iter().map(|lease| lease.owner.as_str()).collect();
    let epochs = leases.iter().map(|lease| signed(lease.epoch)).collect();
    (runs, owners, epochs)
}
