//! Alerts and the messages about them.

use tokio_postgres::Row;

use super::postgres_session::PostgresSession;
use super::row_values::{row_limit, storable, unsigned};
use crate::service::{
    AlertMessage, AlertQuery, DueMessage, MessageOutcome, MessageState, NewAlert, OPEN_ALERT, RaisedAlert,
    StoredAlert,
};

/// Number of the advisory lock under which alerts are raised, so that two servers do not raise the same one.
const ALERT_LOCK: i64 = 0x4c42_7376_0003;
/// Milliseconds of an hour.
const HOUR_MS: i64 = 60 * 60 * 1000;
/// The columns that [`read_alert`] reads.
const COLUMNS: &str =
    "id, rule, kind, project, loop, at, value, threshold, title, reason, place, detail, ended";

fn read_alert(row: &Row) -> Result<StoredAlert, tokio_postgres::Error> {
    Ok(StoredAlert {
        id: row.try_get(0)?,
        rule: row.try_get(1)?,
        kind: row.try_get(2)?,
        project: row.try_get(3)?,
        loop_id: row.try_get(4)?,
        at: row.try_get(5)?,
        value: row.try_get(6)?,
        threshold: row.try_get(7)?,
        title: row.try_get(8)?,
        reason: row.try_get(9)?,
        place: row.try_get(10)?,
        detail: row.try_get(11)?,
        ended: row.try_get(12)?,
        messages: Vec::new(),
    })
}

/// Returns the time since which a rule is known, which is now if it is new.
pub(super) fn rule_since(
    session: &mut PostgresSession,
    rule: &str,
    now: i64,
) -> Result<i64, tokio_postgres::Error> {
    let rule = storable(rule);
    let add = "INSERT INTO alert_rules (rule, since) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    session.execute(add, &[&rule, &now])?;
    session.query_one("SELECT since FROM alert_rules WHERE rule = $1", &[&rule])?.try_get(0)
}

pub(super) fn raise(
    session: &mut PostgresSession,
    alert: &NewAlert,
) -> Result<RaisedAlert, tokio_postgres::Error> {
    session.execute("SELECT pg_advisory_xact_lock($1)", &[&ALERT_LOCK])?;
    let (rule, project, key) = (storable(&alert.rule), storable(&alert.project), storable(&alert.key));
    let known = "SELECT EXISTS (SELECT FROM alerts WHERE rule = $1 AND project = $2 AND key = $3)";
    if session.query_one(known, &[&rule, &project, &key])?.try_get(0)? {
        return Ok(RaisedAlert::Known);
    }
    let after = alert.at.saturating_sub(alert.quiet);
    let recent = "SELECT EXISTS (SELECT FROM alerts WHERE rule = $1 AND project = $2 AND at > $3)";
    if alert.quiet > 0 && session.query_one(recent, &[&rule, &project, &after])?.try_get(0)? {
        return Ok(RaisedAlert::TooSoon);
    }
    let told = "SELECT count(DISTINCT alert) FROM alert_messages JOIN alerts ON alerts.id = alert \
         WHERE alerts.rule = $1 AND alerts.at > $2";
    let told = unsigned(&session.query_one(told, &[&rule, &alert.at.saturating_sub(HOUR_MS)])?, 0)?;
    let insert = "INSERT INTO alerts (rule, kind, project, key, loop, at, value, threshold, title, reason, place, detail) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING id";
    let row = session.query_one(
        insert,
        &[
            &rule,
            &storable(&alert.kind),
            &project,
            &key,
            &storable(&alert.loop_id),
            &alert.at,
            &alert.value,
            &alert.threshold,
            &storable(&alert.title),
            &storable(&alert.reason),
            &storable(&alert.place),
            &storable(&alert.detail),
        ],
    )?;
    let id: i64 = row.try_get(0)?;
    let forms = if told < alert.most_an_hour { alert.forms.as_slice() } else { &[] };
    for form in forms {
        let add = "INSERT INTO alert_messages (alert, rule, form, state, attempts, due, at, error) \
             VALUES ($1, $2, $3, 'waiting', 0, $4, $4, '')";
        session.execute(add, &[&id, &rule, &storable(form), &alert.at])?;
    }
    Ok(RaisedAlert::Raised)
}

pub(super) fn end(
    session: &mut PostgresSession,
    rule: &str,
    project: &str,
    now: i64,
) -> Result<bool, tokio_postgres::Error> {
    let sql =
        "UPDATE alerts SET ended = $4, key = key || '@' || id WHERE rule = $1 AND project = $2 AND key = $3";
    Ok(session.execute(sql, &[&storable(rule), &storable(project), &OPEN_ALERT, &now])? > 0)
}

pub(super) fn take_due(
    session: &mut PostgresSession,
    rules: &[&str],
    now: i64,
    until: i64,
) -> Result<Option<DueMessage>, tokio_postgres::Error> {
    let rules: Vec<_> = rules.iter().map(|rule| storable(rule)).collect();
    let take = "UPDATE alert_messages SET attempts = attempts + 1, due = $3 WHERE id = (SELECT id FROM alert_messages \
         WHERE state = 'waiting' AND due <= $2 AND rule = ANY($1) ORDER BY due, id LIMIT 1 FOR UPDATE SKIP LOCKED) \
         RETURNING id, alert, form, attempts";
    let Some(taken) = session.query_opt(take, &[&rules, &now, &until])? else { return Ok(None) };
    let alert: i64 = taken.try_get(1)?;
    let row = session.query_one(&format!("SELECT {COLUMNS} FROM alerts WHERE id = $1"), &[&alert])?;
    Ok(Some(DueMessage {
        id: taken.try_get(0)?,
        alert: read_alert(&row)?,
        form: taken.try_get(2)?,
        attempt: unsigned(&taken, 3)?,
    }))
}

pub(super) fn settle(
    session: &mut PostgresSession,
    message: i64,
    outcome: &MessageOutcome,
    now: i64,
) -> Result<(), tokio_postgres::Error> {
    let sql = "UPDATE alert_messages SET state = $2, error = $3, due = $4, at = $5 WHERE id = $1";
    session
        .execute(sql, &[&message, &outcome.state.as_str(), &storable(&outcome.error), &outcome.due, &now])?;
    Ok(())
}

pub(super) fn select(
    session: &mut PostgresSession,
    query: &AlertQuery,
) -> Result<Vec<StoredAlert>, tokio_postgres::Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM alerts WHERE ($1::text IS NULL OR project = $1) AND ($2::bigint IS NULL OR id < $2) \
         ORDER BY id DESC LIMIT $3"
    );
    let project = query.project.as_deref().map(storable);
    let rows = session.query(&sql, &[&project, &query.before, &row_limit(query.limit)])?;
    let mut alerts = rows.iter().map(read_alert).collect::<Result<Vec<_>, _>>()?;
    let ids: Vec<i64> = alerts.iter().map(|alert| alert.id).collect();
    let sql = "SELECT alert, form, state, attempts, at, error FROM alert_messages WHERE alert = ANY($1) ORDER BY id";
    for row in session.query(sql, &[&ids])? {
        let of: i64 = row.try_get(0)?;
        let message = AlertMessage {
            form: row.try_get(1)?,
            state: MessageState::from_name(row.try_get(2)?),
            attempts: unsigned(&row, 3)?,
            at: row.try_get(4)?,
            error: row.try_get(5)?,
        };
        if let Some(alert) = alerts.iter_mut().find(|alert| alert.id == of) {
            alert.messages.push(message);
        }
    }
    Ok(alerts)
}

/// Deletes alerts from before a time.
pub(super) fn prune(session: &mut PostgresSession, before: i64) -> Result<(), tokio_postgres::Error> {
    let messages =
        "DELETE FROM alert_messages WHERE alert IN (SELECT id FROM alerts WHERE at < $1 AND key <> $2)";
    session.execute(messages, &[&before, &OPEN_ALERT])?;
    session.execute("DELETE FROM alerts WHERE at < $1 AND key <> $2", &[&before, &OPEN_ALERT])?;
    Ok(())
}
