//! Removes old runs, so that the store does not grow without bound.

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior};

use super::store_error;
use crate::{RunKey, StoreError, StoreLimits};

/// A day, in milliseconds.
pub(super) const DAY: i64 = 24 * 60 * 60 * 1000;
const HOUR: i64 = 60 * 60 * 1000;
/// Number of runs removed at a time: a new run waits for it.
const RUNS_AT_A_TIME: usize = 50;
/// Number of pages returned to the file system at a time.
const PAGES_AT_A_TIME: u32 = 500;

/// Tables with rows of a run, the run itself last.
const TABLES: [&str; 8] = [
    "events WHERE run",
    "tasks WHERE run",
    "roadmap WHERE run",
    "attempts WHERE run",
    "context_entries WHERE run",
    "recoveries WHERE run",
    "guards WHERE run",
    "runs WHERE id",
];

/// Number of events of a run that are kept in full. Of older ones, only those that got an answer are kept.
const FULL_EVENTS: u64 = 20_000;
/// Number of events of a run that are kept at all.
const MAX_EVENTS: u64 = 80_000;
/// One event in this many of a run checks the limits.
pub(super) const CHECK_INTERVAL: u64 = 256;

/// Removes some of what exceeds the limits. Must be called in a transaction.
///
/// The clock of one process proves nothing: a machine may wake up with a clock that is weeks ahead. So a run is old only if it
/// was old on the day of an earlier check, and time has moved on since. The day of the last check is in the file's
/// `user_version`. The current run is kept in any case.
pub(super) fn prune(
    connection: &Connection,
    limits: StoreLimits,
    current: Option<i64>,
    now: i64,
) -> Result<(), StoreError> {
    let number =
        |pragma: &str| connection.query_row(pragma, (), |row| row.get::<_, i64>(0)).map_err(store_error);
    let (today, checked) = (now.div_euclid(DAY), number("PRAGMA user_version")?);
    let mut removed = 0;
    if checked > 0 && checked < today {
        removed = remove(connection, current, (checked * DAY).saturating_sub(limits.age_ms))?;
    }
    // If there is more to remove, the next check continues with the same day. A day in the future is not believed.
    if checked != today && removed < RUNS_AT_A_TIME {
        let day = i32::try_from(today.max(0)).unwrap_or_default();
        connection.execute_batch(&format!("PRAGMA user_version = {day}")).map_err(store_error)?;
    }
    let pages = number("PRAGMA page_count")?.saturating_sub(number("PRAGMA freelist_count")?);
    let bytes = pages.saturating_mul(number("PRAGMA page_size")?).unsigned_abs();
    if bytes > limits.bytes {
        removed += remove(connection, current, latest_time(connection, now)? - HOUR)?;
    }
    if removed > 0 {
        connection
            .execute_batch(&format!("PRAGMA incremental_vacuum({PAGES_AT_A_TIME})"))
            .map_err(store_error)?;
    }
    Ok(())
}

/// Returns the time of the process, or that of the latest run if the process is ahead of it.
fn latest_time(connection: &Connection, now: i64) -> Result<i64, StoreError> {
    let sql = "SELECT seen FROM runs JOIN guards ON run = id ORDER BY day DESC, seen DESC LIMIT 1";
    let latest = connection.query_row(sql, (), |row| row.get::<_, i64>(0)).optional().map_err(store_error)?;
    Ok(latest.map_or(now, |latest| latest.min(now)))
}

/// Removes the oldest events of a run that has very many. Must be called in a transaction.
pub(super) fn trim_events(connection: &Connection, run: i64, events: u64) -> Result<(), StoreError> {
    let Some(old) = events.checked_sub(FULL_EVENTS).filter(|old| *old > 0) else { return Ok(()) };
    let sql = "DELETE FROM events WHERE run = ?1 AND number <= ?2 \
               AND (number <= ?3 OR kind IN ('step', 'stop') AND instr(detail, '\"answer\":') = 0)";
    connection.execute(sql, (run, old, events.saturating_sub(MAX_EVENTS))).map_err(store_error)?;
    Ok(())
}

/// Removes some of the runs last seen before a time, the oldest first. Returns their number.
fn remove(connection: &Connection, current: Option<i64>, before: i64) -> Result<usize, StoreError> {
    let sql = "SELECT id FROM runs JOIN guards ON run = id WHERE day <= ?1 AND seen < ?2 AND id IS NOT ?4 \
               ORDER BY day, seen LIMIT ?3";
    let mut statement = connection.prepare(sql).map_err(store_error)?;
    let old: Vec<i64> = statement
        .query_map((before.div_euclid(DAY), before, RUNS_AT_A_TIME, current), |row| row.get(0))
        .and_then(Iterator::collect)
        .map_err(store_error)?;
    for run in &old {
        remove_rows(connection, *run)?;
    }
    Ok(old.len())
}

/// Removes everything that is stored of a run, by its names: its other columns may be damaged.
pub(super) fn remove_run(connection: &mut Connection, run: &RunKey) -> Result<(), StoreError> {
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(store_error)?;
    let sql = "SELECT id FROM runs WHERE session = ?1 AND agent = ?2 AND source = ?3";
    let names = (&run.session, &run.agent, &run.source);
    let id = change.query_row(sql, names, |row| row.get(0)).optional().map_err(store_error)?;
    if let Some(id) = id {
        remove_rows(&change, id)?;
    }
    change.commit().map_err(store_error)
}

fn remove_rows(connection: &Connection, run: i64) -> Result<(), StoreError> {
    // The run counts its cost from 0 if it starts over. What all sessions have spent stays.
    let sql = "DELETE FROM spending WHERE (session, part) IN (SELECT session, agent FROM runs WHERE id = ?1)";
    connection.execute(sql, (run,)).map_err(store_error)?;
    for table in TABLES {
        connection.execute(&format!("DELETE FROM {table} = ?1"), (run,)).map_err(store_error)?;
    }
    Ok(())
}
