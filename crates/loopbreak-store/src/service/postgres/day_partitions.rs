//! The partitions of the entries: one per day, and one for all other times.

use super::database_migrations::TABLES_LOCK;
use super::postgres_session::{PostgresSession, TransactionKind};
use super::session_pool::{SessionError, SessionPool};
use crate::StoreError;

/// Milliseconds of a day.
pub(super) const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// Number of days for which partitions are made in advance.
const DAYS_AHEAD: i64 = 2;
/// Beginning of the names of partitions. The number of the day follows, counted from 1970-01-01 (UTC).
const NAME: &str = "entries_day_";

/// Makes the partitions of today and the next days, unless they exist. Entries of other times are stored in the common
/// partition, so that nothing is lost if this was not done in time.
pub(super) fn make_partitions(pool: &SessionPool, now: i64) -> Result<(), StoreError> {
    let today = now.div_euclid(DAY_MS);
    if today < 1 {
        return Ok(());
    }
    for day in today..=today + DAYS_AHEAD {
        pool.with_session(|session| make_partition(session, day))?;
    }
    Ok(())
}

fn make_partition(session: &mut PostgresSession, day: i64) -> Result<(), SessionError> {
    let name = format!("{NAME}{day}");
    let exists = "SELECT to_regclass($1) IS NOT NULL";
    if session.query_one(exists, &[&name])?.try_get(0)? {
        return Ok(());
    }
    session.transact(TransactionKind::Change, |session| {
        session.execute("SELECT pg_advisory_xact_lock($1)", &[&TABLES_LOCK])?;
        let is_made: bool = session.query_one(exists, &[&name])?.try_get(0)?;
        let (from, to) = (day * DAY_MS, (day + 1) * DAY_MS);
        // Entries that came before their partition stay where they are.
        let has_entries = "SELECT EXISTS (SELECT FROM entries_other WHERE at >= $1 AND at < $2)";
        if is_made || session.query_one(has_entries, &[&from, &to])?.try_get(0)? {
            return Ok(());
        }
        // A connection remembers that there was no such table, also after another server has made it: only the creation itself
        // looks again.
        session.run_batch(&format!(
            "CREATE TABLE IF NOT EXISTS {name} PARTITION OF entries FOR VALUES FROM ({from}) TO ({to})"
        ))?;
        Ok(())
    })
}

/// Removes the partitions whose days ended before a time. One with a step that is needed to restore a guard stays.
pub(super) fn drop_partitions(
    session: &mut PostgresSession,
    before: i64,
) -> Result<(), tokio_postgres::Error> {
    let sql = format!(
        "SELECT relname::text FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid \
         WHERE inhparent = 'entries'::regclass AND relname LIKE '{NAME}%'"
    );
    let mut names: Vec<String> =
        session.query(&sql, &[])?.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
    names.sort();
    for name in names {
        let day = name.strip_prefix(NAME).and_then(|day| day.parse::<i64>().ok());
        let Some(day) = day.filter(|day| (day + 1).saturating_mul(DAY_MS) <= before) else { continue };
        let needed = format!(
            "SELECT EXISTS (SELECT FROM {NAME}{day} AS entry JOIN runs ON runs.id = entry.run \
             LEFT JOIN snapshots ON snapshots.run = entry.run \
             WHERE entry.seq > coalesce(snapshots.seq, 0) AND runs.seen >= $1)"
        );
        if !session.query_one(&needed, &[&before])?.try_get::<_, bool>(0)? {
            session.run_batch(&format!("DROP TABLE {NAME}{day}"))?;
        }
    }
    Ok(())
}
