//! Alerts and the messages about them.

use rusqlite::{Connection, OptionalExtension as _, Row, Transaction};

use super::run_rows::row_limit;
use crate::service::{
    AlertMessage, AlertQuery, DueMessage, MessageOutcome, MessageState, NewAlert, OPEN_ALERT, RaisedAlert,
    StoredAlert,
};

/// Milliseconds of an hour.
const HOUR_MS: i64 = 60 * 60 * 1000;
/// The columns that [`read_alert`] reads.
const COLUMNS: &str = "alerts.id, alerts.rule, kind, project, loop, alerts.at, value, threshold, title, reason, place, \
     detail, ended";

fn read_alert(row: &Row<'_>) -> rusqlite::Result<StoredAlert> {
    Ok(StoredAlert {
        id: row.get(0)?,
        rule: row.get(1)?,
        kind: row.get(2)?,
        project: row.get(3)?,
        loop_id: row.get(4)?,
        at: row.get(5)?,
        value: row.get(6)?,
        threshold: row.get(7)?,
        title: row.get(8)?,
        reason: row.get(9)?,
        place: row.get(10)?,
        detail: row.get(11)?,
        ended: row.get(12)?,
        messages: Vec::new(),
    })
}

/// Returns the time since which a rule is known, which is now if it is new.
pub(super) fn rule_since(change: &Transaction<'_>, rule: &str, now: i64) -> rusqlite::Result<i64> {
    change.execute("INSERT OR IGNORE INTO alert_rules (rule, since) VALUES (?1, ?2)", (rule, now))?;
    change.query_row("SELECT since FROM alert_rules WHERE rule = ?1", (rule,), |row| row.get(0))
}

pub(super) fn raise(change: &Transaction<'_>, alert: &NewAlert) -> rusqlite::Result<RaisedAlert> {
    let known: bool = change.query_row(
        "SELECT EXISTS (SELECT 1 FROM alerts WHERE rule = ?1 AND project = ?2 AND key = ?3)",
        (&alert.rule, &alert.project, &alert.key),
        |row| row.get(0),
    )?;
    if known {
        return Ok(RaisedAlert::Known);
    }
    let too_soon: bool = change.query_row(
        "SELECT EXISTS (SELECT 1 FROM alerts WHERE rule = ?1 AND project = ?2 AND at > ?3)",
        (&alert.rule, &alert.project, alert.at.saturating_sub(alert.quiet)),
        |row| row.get(0),
    )?;
    if alert.quiet > 0 && too_soon {
        return Ok(RaisedAlert::TooSoon);
    }
    let told: u64 = change.query_row(
        "SELECT count(DISTINCT alert) FROM alert_messages JOIN alerts ON alerts.id = alert \
         WHERE alerts.rule = ?1 AND alerts.at > ?2",
        (&alert.rule, alert.at.saturating_sub(HOUR_MS)),
        |row| row.get(0),
    )?;
    let id: i64 = change.query_row(
        "INSERT INTO alerts (rule, kind, project, key, loop, at, value, threshold, title, reason, place, detail) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) RETURNING id",
        rusqlite::params![
            alert.rule,
            alert.kind,
            alert.project,
            alert.key,
            alert.loop_id,
            alert.at,
            alert.value,
            alert.threshold,
            alert.title,
            alert.reason,
            alert.place,
            alert.detail,
        ],
        |row| row.get(0),
    )?;
    let forms = if told < alert.most_an_hour { alert.forms.as_slice() } else { &[] };
    for form in forms {
        change.execute(
            "INSERT INTO alert_messages (alert, rule, form, state, attempts, due, at, error) \
             VALUES (?1, ?2, ?3, 'waiting', 0, ?4, ?4, '')",
            (id, &alert.rule, form, alert.at),
        )?;
    }
    Ok(RaisedAlert::Raised)
}

pub(super) fn end(change: &Transaction<'_>, rule: &str, project: &str, now: i64) -> rusqlite::Result<bool> {
    let ended = change.execute(
        "UPDATE alerts SET ended = ?4, key = key || '@' || id WHERE rule = ?1 AND project = ?2 AND key = ?3",
        (rule, project, OPEN_ALERT, now),
    )?;
    Ok(ended > 0)
}

pub(super) fn take_due(
    change: &Transaction<'_>,
    rules: &[&str],
    now: i64,
    until: i64,
) -> rusqlite::Result<Option<DueMessage>> {
    let rules = serde_json::json!(rules).to_string();
    let taken = change
        .query_row(
            "UPDATE alert_messages SET attempts = attempts + 1, due = ?3 WHERE id = (SELECT id FROM alert_messages \
             WHERE state = 'waiting' AND due <= ?2 AND rule IN (SELECT value FROM json_each(?1)) ORDER BY due, id LIMIT 1) \
             RETURNING id, alert, form, attempts",
            (rules, now, until),
            |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get(2)?, row.get(3)?)),
        )
        .optional()?;
    let Some((id, alert, form, attempt)) = taken else { return Ok(None) };
    let sql = format!("SELECT {COLUMNS} FROM alerts WHERE id = ?1");
    let alert = change.query_row(&sql, (alert,), read_alert)?;
    Ok(Some(DueMessage { id, alert, form, attempt }))
}

pub(super) fn settle(
    change: &Transaction<'_>,
    message: i64,
    outcome: &MessageOutcome,
    now: i64,
) -> rusqlite::Result<()> {
    change.execute(
        "UPDATE alert_messages SET state = ?2, error = ?3, due = ?4, at = ?5 WHERE id = ?1",
        (message, outcome.state.as_str(), &outcome.error, outcome.due, now),
    )?;
    Ok(())
}

pub(super) fn select(connection: &Connection, query: &AlertQuery) -> rusqlite::Result<Vec<StoredAlert>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM alerts WHERE (?1 IS NULL OR project = ?1) AND (?2 IS NULL OR id < ?2) \
         ORDER BY id DESC LIMIT ?3"
    );
    let mut alerts: Vec<StoredAlert> = connection
        .prepare(&sql)?
        .query_map((&query.project, query.before, row_limit(query.limit)), read_alert)?
        .collect::<rusqlite::Result<_>>()?;
    let mut messages = connection.prepare(
        "SELECT form, state, attempts, at, error FROM alert_messages WHERE alert = ?1 ORDER BY id",
    )?;
    for alert in &mut alerts {
        let found = messages.query_map((alert.id,), |row| {
            Ok(AlertMessage {
                form: row.get(0)?,
                state: MessageState::from_name(&row.get::<_, String>(1)?),
                attempts: row.get(2)?,
                at: row.get(3)?,
                error: row.get(4)?,
            })
        })?;
        alert.messages = found.collect::<rusqlite::Result<_>>()?;
    }
    Ok(alerts)
}

/// Deletes alerts from before a time.
pub(super) fn prune(change: &Transaction<'_>, before: i64) -> rusqlite::Result<()> {
    change.execute(
        "DELETE FROM alert_messages WHERE alert IN (SELECT id FROM alerts WHERE at < ?1 AND key <> ?2)",
        (before, OPEN_ALERT),
    )?;
    change.execute("DELETE FROM alerts WHERE at < ?1 AND key <> ?2", (before, OPEN_ALERT))?;
    Ok(())
}
