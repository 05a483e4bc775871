//! Tokens and the audit log.

use rusqlite::{Connection, OptionalExtension as _, Row, Transaction};

use crate::service::{AuditRecord, ServiceToken};

const SELECT: &str = "SELECT id, note, hash, project, scopes, created, expires FROM tokens";

fn read_token(row: &Row<'_>) -> rusqlite::Result<ServiceToken> {
    let scopes: String = row.get(4)?;
    Ok(ServiceToken {
        id: row.get(0)?,
        note: row.get(1)?,
        hash: row.get(2)?,
        project: row.get(3)?,
        // A scope of a later release gives no rights here.
        scopes: scopes.split(',').filter_map(|scope| scope.parse().ok()).collect(),
        created: row.get(5)?,
        expires: row.get(6)?,
    })
}

pub(super) fn add(change: &Transaction<'_>, token: &ServiceToken) -> rusqlite::Result<()> {
    let scopes: Vec<&str> = token.scopes.iter().map(|scope| scope.as_str()).collect();
    change.execute(
        "INSERT INTO tokens (id, note, hash, project, scopes, created, expires) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        (
            &token.id,
            &token.note,
            &token.hash,
            &token.project,
            scopes.join(","),
            token.created,
            token.expires,
        ),
    )?;
    Ok(())
}

pub(super) fn find(connection: &Connection, id: &str) -> rusqlite::Result<Option<ServiceToken>> {
    connection.query_row(&format!("{SELECT} WHERE id = ?1"), (id,), read_token).optional()
}

pub(super) fn all(connection: &Connection) -> rusqlite::Result<Vec<ServiceToken>> {
    connection.prepare(&format!("{SELECT} ORDER BY created, id"))?.query_map((), read_token)?.collect()
}

pub(super) fn revoke(change: &Transaction<'_>, id: &str) -> rusqlite::Result<bool> {
    Ok(change.execute("DELETE FROM tokens WHERE id = ?1", (id,))? > 0)
}

pub(super) fn audit(change: &Transaction<'_>, record: &AuditRecord) -> rusqlite::Result<()> {
    change.execute(
        "INSERT INTO audit (at, project, actor, action, subject, detail) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        (record.at, &record.project, &record.actor, &record.action, &record.subject, &record.detail),
    )?;
    Ok(())
}

pub(super) fn audit_log(
    connection: &Connection,
    project: Option<&str>,
    before: Option<i64>,
    limit: usize,
) -> rusqlite::Result<Vec<AuditRecord>> {
    connection
        .prepare(
            "SELECT id, at, project, actor, action, subject, detail FROM audit \
             WHERE (?1 IS NULL OR project = ?1) AND (?2 IS NULL OR id < ?2) ORDER BY id DESC LIMIT ?3",
        )?
        .query_map((project, before, limit), |row| {
            Ok(AuditRecord {
                id: row.get(0)?,
                at: row.get(1)?,
                project: row.get(2)?,
                actor: row.get(3)?,
                action: row.get(4)?,
                subject: row.get(5)?,
                detail: row.get(6)?,
            })
        })?
        .collect()
}
