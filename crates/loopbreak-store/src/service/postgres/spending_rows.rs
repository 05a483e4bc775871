//! Sums of what was spent and found.

use loopbreak::detectors::SharedSpending;

use super::postgres_session::PostgresSession;
use super::row_values::{signed, storable, unsigned};
use crate::service::ProjectSpending;
use crate::service::project_spending::{AskedPeriods, SpendingSums, oldest_kept};

pub(super) fn add(session: &mut PostgresSession, sums: SpendingSums) -> Result<(), tokio_postgres::Error> {
    if sums.is_empty() {
        return Ok(());
    }
    let (mut projects, mut kinds, mut periods) = (Vec::new(), Vec::new(), Vec::new());
    let (mut usd, mut findings, mut since) = (Vec::new(), Vec::new(), Vec::new());
    for (project, kind, period, sum) in sums.rows() {
        projects.push(project);
        kinds.push(kind as i16);
        periods.push(period);
        usd.push(sum.usd);
        findings.push(signed(sum.findings));
        since.push(sum.since);
    }
    let sql = "INSERT INTO spending (project, kind, period, usd, findings, since) \
         SELECT * FROM unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::float8[], $5::bigint[], $6::bigint[]) \
         ON CONFLICT (project, kind, period) DO UPDATE SET usd = spending.usd + excluded.usd, \
         findings = spending.findings + excluded.findings, since = least(spending.since, excluded.since)";
    session.execute(sql, &[&projects, &kinds, &periods, &usd, &findings, &since])?;
    Ok(())
}

pub(super) fn read(
    session: &mut PostgresSession,
    project: Option<&str>,
    now: i64,
) -> Result<ProjectSpending, tokio_postgres::Error> {
    let asked = AskedPeriods::at(now);
    let sql = "SELECT coalesce(sum(usd) FILTER (WHERE kind = 0), 0), min(since) FILTER (WHERE kind = 0), \
           coalesce(sum(usd) FILTER (WHERE kind = 1), 0), coalesce(sum(usd) FILTER (WHERE kind = 2), 0), \
           coalesce(sum(usd) FILTER (WHERE kind = 2 AND period > $5), 0), \
           count(DISTINCT period) FILTER (WHERE kind = 2 AND period > $5 AND usd > 0), \
           coalesce(sum(findings) FILTER (WHERE kind = 2), 0)::bigint \
         FROM spending WHERE (kind = 0 OR kind = 1 AND period = $2 OR kind = 2 AND period > $3 AND period <= $4) \
           AND ($1::text IS NULL OR project = (SELECT id FROM projects WHERE name = $1))";
    let project = project.map(storable);
    let row = session
        .query_one(sql, &[&project, &asked.day, &asked.hour_after, &asked.minute, &asked.recent_after])?;
    let shared = SharedSpending {
        total: row.try_get(0)?,
        total_since: row.try_get(1)?,
        day: row.try_get(2)?,
        hour: row.try_get(3)?,
        recent: row.try_get(4)?,
        recent_minutes: u32::try_from(unsigned(&row, 5)?).unwrap_or(u32::MAX),
        ..SharedSpending::default()
    };
    Ok(ProjectSpending { shared, findings: unsigned(&row, 6)? })
}

/// Removes sums that nobody asks for any more.
pub(super) fn remove_old(session: &mut PostgresSession, now: i64) -> Result<(), tokio_postgres::Error> {
    let (minute, day) = oldest_kept(now);
    let sql = "DELETE FROM spending WHERE kind = 2 AND period < $1 OR kind = 1 AND period < $2";
    session.execute(sql, &[&minute, &day])?;
    Ok(())
}
