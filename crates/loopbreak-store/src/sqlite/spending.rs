//! Costs of sessions: a row per part of a session, and sums per minute, per day and of everything, so that a hook adds up a
//! few rows only.

use loopbreak::detectors::SharedSpending;
use rusqlite::{Connection, OptionalExtension as _};

use super::prune::DAY;
use super::store::clip_name;
use super::store_error;
use crate::{SessionCost, StoreError};

const MINUTE: i64 = 60_000;
/// Kinds of sums. Their values are in the store.
const ALL: i64 = 0;
const DAYS: i64 = 1;
const MINUTES: i64 = 2;
/// Number of minutes and of days whose sums are kept.
const KEPT_MINUTES: i64 = 24 * 60;
const KEPT_DAYS: i64 = 400;
/// Number of parts of sessions that are kept, and the number of those that are removed at a time.
const MAX_PARTS: i64 = 10_000;
const PARTS_AT_A_TIME: i64 = 100;

/// Records what a part of a session has cost. Must be called in a transaction. `now` is the time of the process.
pub(super) fn record(connection: &Connection, cost: &SessionCost, now: i64) -> Result<(), StoreError> {
    let (session, part) = (clip_name(&cost.session), clip_name(&cost.part));
    let known: Option<f64> = connection
        .query_row("SELECT usd FROM spending WHERE session = ?1 AND part = ?2", (session, part), |row| {
            row.get(0)
        })
        .optional()
        .map_err(store_error)?;
    // What the sessions within a run have cost is a part of what the run reports.
    let within: f64 = connection
        .query_row("SELECT total(usd) FROM spending WHERE parent = ?1", (session,), |row| row.get(0))
        .map_err(store_error)?;
    let added = cost.added(known.unwrap_or(0.0) + within);
    if added <= 0.0 && known.is_some() {
        return Ok(());
    }
    // A time of the log that is ahead of this machine's is wrong.
    let at = cost.at.min(now);
    if known.is_none() {
        remove_oldest(connection)?;
    }
    let sql = "INSERT INTO spending (session, part, parent, usd, since, seen) VALUES (?1, ?2, ?3, ?4, ?5, ?5) \
               ON CONFLICT DO UPDATE SET usd = usd + ?4, seen = max(seen, ?5)";
    connection.execute(sql, (session, part, clip_name(&cost.parent), added, at)).map_err(store_error)?;
    // Old logs that are read for the first time are not spent now.
    if added > 0.0 && at > now.saturating_sub(DAY) {
        add(connection, ALL, 0, added, at)?;
        add(connection, DAYS, at.div_euclid(DAY), added, at)?;
        add(connection, MINUTES, at.div_euclid(MINUTE), added, at)?;
    }
    Ok(())
}

/// Adds to the sum of a period.
fn add(connection: &Connection, kind: i64, period: i64, usd: f64, at: i64) -> Result<(), StoreError> {
    let sql = "UPDATE spending_periods SET usd = usd + ?3 WHERE kind = ?1 AND period = ?2";
    if connection.execute(sql, (kind, period, usd)).map_err(store_error)? > 0 {
        return Ok(());
    }
    let sql = "INSERT INTO spending_periods (kind, period, usd, since) VALUES (?1, ?2, ?3, ?4)";
    connection.execute(sql, (kind, period, usd, at)).map_err(store_error)?;
    let kept = if kind == MINUTES { KEPT_MINUTES } else { KEPT_DAYS };
    // After a clock was ahead, sums of the last hour may be missing, never those of everything.
    let sql = "DELETE FROM spending_periods WHERE kind = ?1 AND period < ?2";
    connection.execute(sql, (kind, period.saturating_sub(kept))).map_err(store_error)?;
    Ok(())
}

/// Removes the parts that were seen longest ago if there are too many.
fn remove_oldest(connection: &Connection) -> Result<(), StoreError> {
    let count: i64 =
        connection.query_row("SELECT count(*) FROM spending", (), |row| row.get(0)).map_err(store_error)?;
    if count >= MAX_PARTS {
        let sql = "DELETE FROM spending WHERE (session, part) IN \
                   (SELECT session, part FROM spending ORDER BY seen LIMIT ?1)";
        connection.execute(sql, (PARTS_AT_A_TIME,)).map_err(store_error)?;
    }
    Ok(())
}

/// Adds up what was spent until a time: in a session with those that it started, and in all sessions.
pub(super) fn read(connection: &Connection, session: &str, now: i64) -> Result<SharedSpending, StoreError> {
    let sql = "SELECT total(usd), min(since) FROM spending WHERE session = ?1 OR parent = ?1";
    let (session, session_since) = connection
        .query_row(sql, (clip_name(session),), |row| Ok((row.get(0)?, row.get(1)?)))
        .map_err(store_error)?;
    let minute = now.div_euclid(MINUTE);
    let sql = "SELECT \
                 total(usd) FILTER (WHERE kind = 0), min(since) FILTER (WHERE kind = 0), \
                 total(usd) FILTER (WHERE kind = 1), \
                 total(usd) FILTER (WHERE kind = 2), \
                 total(usd) FILTER (WHERE kind = 2 AND period > ?4), \
                 count(*) FILTER (WHERE kind = 2 AND period > ?4) \
               FROM spending_periods WHERE kind = 0 OR kind = 1 AND period = ?1 \
                 OR kind = 2 AND period > ?2 AND period <= ?3";
    let values = (
        now.div_euclid(DAY),
        minute.saturating_sub(60),
        minute,
        minute.saturating_sub(SharedSpending::RATE_MINUTES),
    );
    connection
        .query_row(sql, values, |row| {
            Ok(SharedSpending {
                session,
                session_since,
                total: row.get(0)?,
                total_since: row.get(1)?,
                day: row.get(2)?,
                hour: row.get(3)?,
                recent: row.get(4)?,
                recent_minutes: row.get(5)?,
            })
        })
        .map_err(store_error)
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "the figures are exact")]
mod tests {
    use super::super::migrations::migrate;
    use super::super::prune::remove_run;
    use super::*;
    use crate::RunKey;

    const HOUR: i64 = 60 * MINUTE;
    /// 2026-11-19 10:00 UTC.
    const NOW: i64 = 1_795_082_400_000;

    fn store() -> Connection {
        let mut store = Connection::open_in_memory().unwrap();
        migrate(&mut store, NOW).unwrap();
        store
    }

    fn add_cost(store: &Connection, session: &str, part: &str, usd: f64, at: i64) {
        let (session, part) = (session.to_owned(), part.to_owned());
        record(store, &SessionCost { session, part, usd, at, ..SessionCost::default() }, at).unwrap();
    }

    fn sums(store: &Connection, session: &str, now: i64) -> [f64; 4] {
        let spent = read(store, session, now).unwrap();
        [spent.session, spent.hour, spent.day, spent.total].map(|usd| (usd * 100.0).round() / 100.0)
    }

    #[test]
    fn costs_of_all_sessions_are_added_up_by_hour_day_and_in_all() {
        let store = store();
        assert_eq!(read(&store, "a", NOW).unwrap(), SharedSpending::default());
        add_cost(&store, "a", "", 1.0, NOW - 2 * HOUR);
        add_cost(&store, "a", "sub", 0.5, NOW - HOUR + MINUTE);
        add_cost(&store, "b", "", 4.0, NOW);
        assert_eq!(sums(&store, "a", NOW), [1.5, 4.5, 5.5, 5.5]);
        assert_eq!(sums(&store, "b", NOW + HOUR), [4.0, 0.0, 5.5, 5.5], "the hour is over");
        assert_eq!(sums(&store, "none", NOW + 14 * HOUR), [0.0, 0.0, 0.0, 5.5], "another day");
        let spent = read(&store, "a", NOW).unwrap();
        assert_eq!((spent.session_since, spent.total_since), (Some(NOW - 2 * HOUR), Some(NOW - 2 * HOUR)));
    }

    #[test]
    fn a_log_that_is_read_again_or_twice_is_counted_once() {
        let store = store();
        for usd in [0.5, 1.0, 1.5, 0.5, 1.0, 1.5, 2.0] {
            add_cost(&store, "a", "", usd, NOW);
        }
        assert_eq!(sums(&store, "a", NOW), [2.0; 4]);
    }

    #[test]
    fn a_run_that_contains_sessions_adds_only_what_they_did_not_report() {
        let store = store();
        let inner = |session: &str, usd| SessionCost {
            session: session.to_owned(),
            parent: "run".to_owned(),
            usd,
            at: NOW,
            ..SessionCost::default()
        };
        record(&store, &inner("a", 1.0), NOW).unwrap();
        add_cost(&store, "run", "", 1.25, NOW);
        record(&store, &inner("b", 2.0), NOW).unwrap();
        add_cost(&store, "run", "", 3.25, NOW);
        assert_eq!(sums(&store, "run", NOW), [3.25; 4]);
        assert_eq!(sums(&store, "a", NOW), [1.0, 3.25, 3.25, 3.25]);
    }

    #[test]
    fn minutes_with_costs_are_counted_for_the_cost_per_minute() {
        let store = store();
        for minute in 0..15 {
            add_cost(&store, "a", "", f64::from(minute + 1), NOW + i64::from(minute) * MINUTE);
        }
        let spent = read(&store, "a", NOW + 14 * MINUTE).unwrap();
        assert_eq!((spent.recent, spent.recent_minutes), (10.0, 10));
    }

    #[test]
    fn clocks_that_jump_and_times_of_logs_that_are_wrong_leave_the_sums_right() {
        let store = store();
        add_cost(&store, "a", "", 1.0, NOW);
        // Ahead of this machine: it counts now. Long ago: it is not spent now.
        let cost = |session: &str, at| SessionCost {
            session: session.into(),
            usd: 1.0,
            at,
            ..SessionCost::default()
        };
        record(&store, &cost("ahead", NOW + 400 * DAY), NOW).unwrap();
        record(&store, &cost("old", NOW - 400 * DAY), NOW).unwrap();
        record(&store, &cost("first", i64::MIN), NOW).unwrap();
        assert_eq!(sums(&store, "ahead", NOW), [1.0, 2.0, 2.0, 2.0]);
        assert_eq!(sums(&store, "old", NOW), [1.0, 2.0, 2.0, 2.0]);
        // A clock that is ahead for a while.
        add_cost(&store, "b", "", 8.0, NOW + 3 * DAY);
        assert_eq!(sums(&store, "a", NOW), [1.0, 0.0, 2.0, 10.0], "the hour is forgotten, not the day");
        add_cost(&store, "a", "", 1.5, NOW + MINUTE);
        assert_eq!(sums(&store, "a", NOW + MINUTE), [1.5, 0.5, 2.5, 10.5]);
        // One that goes back to another day.
        add_cost(&store, "a", "", 2.0, NOW - DAY);
        assert_eq!(sums(&store, "a", NOW - DAY), [2.0, 0.5, 0.5, 11.0]);
    }

    #[test]
    fn a_line_of_a_log_cannot_use_up_a_budget_for_ever() {
        let store = store();
        for usd in [f64::NAN, f64::INFINITY, -1.0, 1e300] {
            add_cost(&store, "a", "", usd, NOW);
        }
        assert_eq!(sums(&store, "a", NOW), [10_000.0; 4]);
    }

    #[test]
    fn a_run_that_starts_over_counts_from_nothing_and_the_sums_stay() {
        let mut store = store();
        store.execute("INSERT INTO runs VALUES (1, 'claude-code', 'a', '', '/f', ?1, 1)", (NOW,)).unwrap();
        add_cost(&store, "a", "", 4.0, NOW);
        add_cost(&store, "a", "sub", 1.0, NOW);
        let key = |agent: &str| RunKey {
            source: "claude-code".to_owned(),
            session: "a".to_owned(),
            agent: agent.to_owned(),
        };
        remove_run(&mut store, &key("")).unwrap();
        assert_eq!(sums(&store, "a", NOW), [1.0, 5.0, 5.0, 5.0]);
        add_cost(&store, "a", "", 0.5, NOW);
        assert_eq!(sums(&store, "a", NOW), [1.5, 5.5, 5.5, 5.5]);
    }

    #[test]
    fn the_number_of_rows_is_bounded() {
        let store = store();
        for number in 0..MAX_PARTS + 150 {
            let at = NOW + number * 20 * MINUTE;
            add_cost(&store, &number.to_string(), "", 1.0, at);
        }
        let count = |table: &str| -> i64 {
            store.query_row(&format!("SELECT count(*) FROM {table}"), (), |row| row.get(0)).unwrap()
        };
        assert!(count("spending") <= MAX_PARTS);
        assert!(count("spending_periods") <= 1 + KEPT_DAYS + 1 + KEPT_MINUTES + 1);
        let last = NOW + (MAX_PARTS + 149) * 20 * MINUTE;
        assert!((read(&store, "x", last).unwrap().total - (MAX_PARTS + 150) as f64).abs() < 1e-6);
    }
}
