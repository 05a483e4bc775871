//! Sums of what was spent and found.

use loopbreak::detectors::SharedSpending;
use rusqlite::{Connection, Transaction};

use crate::service::ProjectSpending;
use crate::service::project_spending::{AskedPeriods, SpendingSums, oldest_kept};

pub(super) fn add(change: &Transaction<'_>, sums: SpendingSums) -> rusqlite::Result<()> {
    if sums.is_empty() {
        return Ok(());
    }
    let mut add = change.prepare(
        "INSERT INTO spending (project, kind, period, usd, findings, since) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
         ON CONFLICT (project, kind, period) DO UPDATE SET usd = usd + excluded.usd, \
         findings = findings + excluded.findings, since = min(since, excluded.since)",
    )?;
    for (project, kind, period, sum) in sums.rows() {
        add.execute((project, kind as i64, period, sum.usd, sum.findings, sum.since))?;
    }
    Ok(())
}

pub(super) fn read(
    connection: &Connection,
    project: Option<&str>,
    now: i64,
) -> rusqlite::Result<ProjectSpending> {
    let asked = AskedPeriods::at(now);
    let mut read = connection.prepare(
        "SELECT total(usd) FILTER (WHERE kind = 0), min(since) FILTER (WHERE kind = 0), \
           total(usd) FILTER (WHERE kind = 1), total(usd) FILTER (WHERE kind = 2), \
           total(usd) FILTER (WHERE kind = 2 AND period > ?5), \
           count(DISTINCT iif(kind = 2 AND period > ?5 AND usd > 0, period, NULL)), \
           coalesce(sum(findings) FILTER (WHERE kind = 2), 0) \
         FROM spending WHERE (kind = 0 OR kind = 1 AND period = ?2 OR kind = 2 AND period > ?3 AND period <= ?4) \
           AND (?1 IS NULL OR project = (SELECT id FROM projects WHERE name = ?1))",
    )?;
    read.query_row((project, asked.day, asked.hour_after, asked.minute, asked.recent_after), |row| {
        let shared = SharedSpending {
            total: row.get(0)?,
            total_since: row.get(1)?,
            day: row.get(2)?,
            hour: row.get(3)?,
            recent: row.get(4)?,
            recent_minutes: row.get(5)?,
            ..SharedSpending::default()
        };
        Ok(ProjectSpending { shared, findings: row.get(6)? })
    })
}

/// Removes sums that nobody asks for any more.
pub(super) fn remove_old(change: &Transaction<'_>, now: i64) -> rusqlite::Result<()> {
    let (minute, day) = oldest_kept(now);
    change.execute(
        "DELETE FROM spending WHERE kind = 2 AND period < ?1 OR kind = 1 AND period < ?2",
        (minute, day),
    )?;
    Ok(())
}
