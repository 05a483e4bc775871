//! Old runs go, so that the store does not grow for ever.

use rusqlite::Connection;

use crate::StoreError;
use crate::sqlite::told;

pub(crate) const DAY: i64 = 24 * 60 * 60 * 1000;
const HOUR: i64 = 60 * 60 * 1000;
/// How many runs go at once: whoever begins a run waits for it.
const AT_ONCE: u32 = 50;
/// How many pages are given back to the disk at once.
const PAGES: u32 = 500;

/// What is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Runs go that were not seen for so long, in milliseconds.
    pub age: i64,
    /// Above this many bytes the oldest runs go, save those of the last hour.
    pub bytes: u64,
}

impl Default for Limits {
    /// 30 days, 256 MB.
    fn default() -> Self {
        Limits { age: 30 * DAY, bytes: 256 * 1024 * 1024 }
    }
}

/// What a run has in each table, and the run itself at the end.
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

/// Removes what is beyond the limits, a little at a time. To be called in a transaction.
pub(crate) fn prune(connection: &Connection, limits: Limits, now: i64) -> Result<(), StoreError> {
    let removed = remove(connection, now.saturating_sub(limits.age))?;
    let number = |pragma: &str| connection.query_row(pragma, (), |row| row.get::<_, u64>(0)).map_err(told);
    let pages = number("PRAGMA page_count")?.saturating_sub(number("PRAGMA freelist_count")?);
    let too_large = pages.saturating_mul(number("PRAGMA page_size")?) > limits.bytes;
    let removed = if too_large { removed + remove(connection, now - HOUR)? } else { removed };
    if removed > 0 {
        connection.execute_batch(&format!("PRAGMA incremental_vacuum({PAGES})")).map_err(told)?;
    }
    Ok(())
}

/// Removes some of the runs that were last seen before then, the oldest first. Gives how many.
fn remove(connection: &Connection, before: i64) -> Result<usize, StoreError> {
    let sql = "SELECT id FROM runs JOIN guards ON run = id WHERE day <= ?1 AND seen < ?2 \
               ORDER BY day, seen LIMIT ?3";
    let mut asked = connection.prepare(sql).map_err(told)?;
    let old: Vec<i64> = asked
        .query_map((before.div_euclid(DAY), before, AT_ONCE), |row| row.get(0))
        .and_then(Iterator::collect)
        .map_err(told)?;
    for run in &old {
        for table in TABLES {
            connection.execute(&format!("DELETE FROM {table} = ?1"), (run,)).map_err(told)?;
        }
    }
    Ok(old.len())
}
