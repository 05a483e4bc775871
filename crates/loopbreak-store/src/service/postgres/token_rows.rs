//! Tokens and the audit log.

use tokio_postgres::Row;

use super::postgres_session::PostgresSession;
use super::row_values::{row_limit, storable};
use crate::service::{AuditRecord, ServiceToken};

const SELECT: &str = "SELECT id, note, hash, project, scopes, created, expires FROM tokens";

fn read_token(row: &Row) -> Result<ServiceToken, tokio_postgres::Error> {
    let scopes: &str = row.try_get(4)?;
    Ok(ServiceToken {
        id: row.try_get(0)?,
        note: row.try_get(1)?,
        hash: row.try_get(2)?,
        project: row.try_get(3)?,
        // A scope of a later release gives no rights here.
        scopes: scopes.split(',').filter_map(|scope| scope.parse().ok()).collect(),
        created: row.try_get(5)?,
        expires: row.try_get(6)?,
    })
}

pub(super) fn add(session: &mut PostgresSession, token: &ServiceToken) -> Result<(), tokio_postgres::Error> {
    let scopes: Vec<&str> = token.scopes.iter().map(|scope| scope.as_str()).collect();
    session.execute(
        "INSERT INTO tokens (id, note, hash, project, scopes, created, expires) VALUES ($1, $2, $3, $4, $5, $6, $7)",
        &[
            &storable(&token.id),
            &storable(&token.note),
            &token.hash,
            &storable(&token.project),
            &scopes.join(","),
            &token.created,
            &token.expires,
        ],
    )?;
    Ok(())
}

pub(super) fn find(
    session: &mut PostgresSession,
    id: &str,
) -> Result<Option<ServiceToken>, tokio_postgres::Error> {
    let row = session.query_opt(&format!("{SELECT} WHERE id = $1"), &[&storable(id)])?;
    row.as_ref().map(read_token).transpose()
}

pub(super) fn all(session: &mut PostgresSession) -> Result<Vec<ServiceToken>, tokio_postgres::Error> {
    session.query(&format!("{SELECT} ORDER BY created, id"), &[])?.iter().map(read_token).collect()
}

pub(super) fn revoke(session: &mut PostgresSession, id: &str) -> Result<bool, tokio_postgres::Error> {
    Ok(session.execute("DELETE FROM tokens WHERE id = $1", &[&storable(id)])? > 0)
}

pub(super) fn audit(
    session: &mut PostgresSession,
    record: &AuditRecord,
) -> Result<(), tokio_postgres::Error> {
    session.execute(
        "INSERT INTO audit (at, project, actor, action, subject, detail) VALUES ($1, $2, $3, $4, $5, $6)",
        &[
            &record.at,
            &storable(&record.project),
            &storable(&record.actor),
            &storable(&record.action),
            &storable(&record.subject),
            &storable(&record.detail),
        ],
    )?;
    Ok(())
}

pub(super) fn audit_log(
    session: &mut PostgresSession,
    project: Option<&str>,
    before: Option<i64>,
    limit: usize,
) -> Result<Vec<AuditRecord>, tokio_postgres::Error> {
    let sql = "SELECT id, at, project, actor, action, subject, detail FROM audit \
         WHERE ($1::text IS NULL OR project = $1) AND ($2::bigint IS NULL OR id < $2) ORDER BY id DESC LIMIT $3";
    let read = |row: &Row| {
        Ok(AuditRecord {
            id: row.try_get(0)?,
            at: row.try_get(1)?,
            project: row.try_get(2)?,
            actor: row.try_get(3)?,
            action: row.try_get(4)?,
            subject: row.try_get(5)?,
            detail: row.try_get(6)?,
        })
    };
    session.query(sql, &[&project.map(storable), &before, &row_limit(limit)])?.iter().map(read).collect()
}
