//! From values to rows and back.

use rusqlite::{Connection, Row};
use serde_json::Value;

use crate::sqlite::told;
use crate::tasks::{Escalation, RoadmapTask, Status};
use crate::{Attempt, ContextEntry, Records, Recovery, Run, StoreError, Task};

/// A run, joined with its guard, in this order.
pub(crate) const RUN: &str = "id, source, session, agent, folder, started, seen, ended, events";

pub(crate) fn run(row: &Row<'_>) -> rusqlite::Result<Run> {
    Ok(Run {
        id: row.get(0)?,
        source: row.get(1)?,
        session: row.get(2)?,
        agent: row.get(3)?,
        folder: row.get(4)?,
        started: row.get(5)?,
        seen: row.get(6)?,
        ended: row.get(7)?,
        events: row.get(8)?,
    })
}

pub(crate) fn task(row: &Row<'_>) -> rusqlite::Result<Task> {
    Ok(Task {
        id: row.get(0)?,
        status: row.get(1)?,
        forced: row.get(2)?,
        reason: row.get(3)?,
        changed: row.get(4)?,
    })
}

/// A task, joined with the roadmap, in this order.
pub(crate) const ROADMAP: &str = "id, status, forced, reason, changed, position, title, details, dependencies, \
                                  checker, finished, returned, escalation, blockers, deferred";

pub(crate) fn roadmap(row: &Row<'_>) -> rusqlite::Result<RoadmapTask> {
    let text = |column| Ok::<_, rusqlite::Error>(row.get::<_, Option<String>>(column)?.unwrap_or_default());
    let (status, forced): (String, bool) = (row.get(1)?, row.get(2)?);
    let status = Status::named(&status).unwrap_or_default();
    let finished: Option<bool> = row.get(10)?;
    Ok(RoadmapTask {
        id: row.get(0)?,
        status,
        forced,
        reason: row.get(3)?,
        changed: row.get(4)?,
        position: row.get::<_, Option<u64>>(5)?.unwrap_or(i64::MAX.unsigned_abs()),
        title: text(6)?,
        details: text(7)?,
        after: list(&text(8)?),
        check: text(9)?,
        // Of a task that is in no roadmap only the last status is known.
        finished: finished.unwrap_or(status == Status::Done && !forced),
        returned: row.get::<_, Option<bool>>(11)?.unwrap_or_default(),
        escalation: Escalation::named(&text(12)?),
        blockers: list(&text(13)?),
        deferred: list(&text(14)?),
    })
}

pub(crate) fn attempt(row: &Row<'_>) -> rusqlite::Result<Attempt> {
    Ok(Attempt {
        task: row.get(0)?,
        number: row.get(1)?,
        at: row.get(2)?,
        status: row.get(3)?,
        blockers: list(&row.get::<_, String>(4)?),
        work: list(&row.get::<_, String>(5)?),
        session: row.get(6)?,
    })
}

pub(crate) fn context(row: &Row<'_>) -> rusqlite::Result<ContextEntry> {
    Ok(ContextEntry {
        id: row.get(0)?,
        timestamp: row.get(1)?,
        entry_type: row.get(2)?,
        topic: row.get(3)?,
        content: row.get(4)?,
        related_tasks: list(&row.get::<_, String>(5)?),
        confidence: row.get(6)?,
        metadata: serde_json::from_str(&row.get::<_, String>(7)?).unwrap_or(Value::Null),
    })
}

pub(crate) fn recovery(row: &Row<'_>) -> rusqlite::Result<Recovery> {
    Ok(Recovery {
        at: row.get(0)?,
        turn: row.get(1)?,
        intervention: row.get(2)?,
        loop_id: row.get(3)?,
        task: row.get(4)?,
        reason: row.get(5)?,
    })
}

/// Writes what a change brings beside its events. To be called in a transaction.
pub(crate) fn write(connection: &Connection, run: i64, records: &Records) -> Result<(), StoreError> {
    for Task { id, status, forced, reason, changed } in &records.tasks {
        let sql = "INSERT OR REPLACE INTO tasks VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        connection.execute(sql, (run, id, status, forced, reason, changed)).map_err(told)?;
    }
    for task in &records.roadmap {
        let (status, reason) = (task.status.as_str(), &task.reason);
        let sql = "INSERT OR REPLACE INTO tasks VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        connection.execute(sql, (run, &task.id, status, task.forced, reason, task.changed)).map_err(told)?;
        let RoadmapTask { id, position, title, details, check, finished, returned, .. } = task;
        let (after, blockers, deferred) = (json(&task.after), json(&task.blockers), json(&task.deferred));
        let sql = "INSERT OR REPLACE INTO roadmap VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
        let escalation = task.escalation.as_str();
        connection
            .execute(
                sql,
                rusqlite::params![
                    run, id, position, title, details, after, check, finished, returned, escalation,
                    blockers, deferred
                ],
            )
            .map_err(told)?;
    }
    for attempt in &records.attempts {
        let Attempt { task, at, status, blockers, work, session, .. } = attempt;
        let sql = "INSERT INTO attempts SELECT ?1, ?2, coalesce(max(number), 0) + 1, ?3, ?4, ?5, ?6, ?7 \
                   FROM attempts WHERE run = ?1 AND task = ?2";
        connection
            .execute(sql, (run, task, at, status, json(blockers), json(work), session))
            .map_err(told)?;
    }
    for entry in &records.context {
        let ContextEntry {
            timestamp, entry_type, topic, content, related_tasks, confidence, metadata, ..
        } = entry;
        let sql = "INSERT INTO context_entries VALUES (NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let (tasks, metadata) = (json(related_tasks), metadata.to_string());
        connection
            .execute(sql, (run, timestamp, entry_type, topic, content, tasks, confidence, metadata))
            .map_err(told)?;
    }
    for Recovery { at, turn, intervention, loop_id, task, reason } in &records.recoveries {
        let sql = "INSERT INTO recoveries VALUES (NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        connection.execute(sql, (run, at, turn, intervention, loop_id, task, reason)).map_err(told)?;
    }
    Ok(())
}

fn json(list: &[String]) -> String {
    Value::from(list).to_string()
}

fn list(json: &str) -> Vec<String> {
    serde_json::from_str(json).unwrap_or_default()
}
