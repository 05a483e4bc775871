//! Removes old runs, so that the store does not grow without bound.

use rusqlite::Connection;

use super::store_error;
use crate::{StoreError, StoreLimits};

/// A day, in milliseconds.
pub(super) const DAY: i64 = 24 * 60 * 60 * 1000;
const HOUR: i64 = 60 * 60 * 1000;
/// Number of runs removed at a time: a new run waits for it.
const RUNS_AT_A_TIME: u32 = 50;
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

/// Removes some of what exceeds the limits. Must be called in a transaction.
pub(super) fn prune(connection: &Connection, limits: StoreLimits, now: i64) -> Result<(), StoreError> {
    let removed = remove(connection, now.saturating_sub(limits.age_ms))?;
    let number =
        |pragma: &str| connection.query_row(pragma, (), |row| row.get::<_, u64>(0)).map_err(store_error);
    let pages = number("PRAGMA page_count")?.saturating_sub(number("PRAGMA freelist_count")?);
    let too_large = pages.saturating_mul(number("PRAGMA page_size")?) > limits.bytes;
    let removed = if too_large { removed + remove(connection, now - HOUR)? } else { removed };
    if removed > 0 {
        connection
            .execute_batch(&format!("PRAGMA incremental_vacuum({PAGES_AT_A_TIME})"))
            .map_err(store_error)?;
    }
    Ok(())
}

/// Removes some of the runs last seen before a time, the oldest first. Returns their number.
fn remove(connection: &Connection, before: i64) -> Result<usize, StoreError> {
    let sql = "SELECT id FROM runs JOIN guards ON run = id WHERE day <= ?1 AND seen < ?2 \
               ORDER BY day, seen LIMIT ?3";
    let mut statement = connection.prepare(sql).map_err(store_error)?;
    let old: Vec<i64> = statement
        .query_map((before.div_euclid(DAY), before, RUNS_AT_A_TIME), |row| row.get(0))
        .and_then(Iterator::collect)
        .map_err(store_error)?;
    for run in &old {
        for table in TABLES {
            connection.execute(&format!("DELETE FROM {table} = ?1"), (run,)).map_err(store_error)?;
        }
    }
    Ok(old.len())
}
