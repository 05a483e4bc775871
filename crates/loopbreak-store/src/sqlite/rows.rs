//! Conversion between values and rows.

use rusqlite::{Connection, Row};
use serde_json::Value;

use super::store_error;
use crate::tasks::{RoadmapTask, TaskEscalation, TaskState};
use crate::{Run, RunRecords, StoreError, StoredAttempt, StoredContextEntry, StoredRecovery, StoredTask};

/// The state of a run is padded with spaces to a multiple of this length. It then usually keeps its length, and is
/// written to the same place.
const STATE_BLOCK: usize = 1024;

/// Columns of a run joined with its guard, in the order that [`run`] reads.
pub(super) const RUN_COLUMNS: &str = "id, source, session, agent, folder, started, seen, ended, events";

pub(super) fn run(row: &Row<'_>) -> rusqlite::Result<Run> {
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

pub(super) fn task(row: &Row<'_>) -> rusqlite::Result<StoredTask> {
    Ok(StoredTask {
        id: row.get(0)?,
        status: row.get(1)?,
        forced: row.get(2)?,
        reason: row.get(3)?,
        changed: row.get(4)?,
    })
}

/// Columns of a task joined with the roadmap, in the order that [`roadmap_task`] reads.
pub(super) const ROADMAP_COLUMNS: &str = "id, status, forced, reason, changed, position, title, details, dependencies, \
                                          checker, finished, returned, escalation, blockers, deferred";

pub(super) fn roadmap_task(row: &Row<'_>) -> rusqlite::Result<RoadmapTask> {
    let text = |column| Ok::<_, rusqlite::Error>(row.get::<_, Option<String>>(column)?.unwrap_or_default());
    let (status, forced): (String, bool) = (row.get(1)?, row.get(2)?);
    let status = status.parse().unwrap_or_default();
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
        // For a task that is not in a roadmap, only the last status is known.
        finished: finished.unwrap_or(status == TaskState::Done && !forced),
        returned: row.get::<_, Option<bool>>(11)?.unwrap_or_default(),
        escalation: TaskEscalation::from_column(&text(12)?),
        blockers: list(&text(13)?),
        deferred: list(&text(14)?),
    })
}

pub(super) fn attempt(row: &Row<'_>) -> rusqlite::Result<StoredAttempt> {
    Ok(StoredAttempt {
        task: row.get(0)?,
        number: row.get(1)?,
        at: row.get(2)?,
        status: row.get(3)?,
        blockers: list(&row.get::<_, String>(4)?),
        work: list(&row.get::<_, String>(5)?),
        session: row.get(6)?,
    })
}

pub(super) fn context_entry(row: &Row<'_>) -> rusqlite::Result<StoredContextEntry> {
    Ok(StoredContextEntry {
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

pub(super) fn recovery(row: &Row<'_>) -> rusqlite::Result<StoredRecovery> {
    Ok(StoredRecovery {
        at: row.get(0)?,
        turn: row.get(1)?,
        intervention: row.get(2)?,
        loop_id: row.get(3)?,
        task: row.get(4)?,
        reason: row.get(5)?,
    })
}

/// Inserts the records of a change. Must be called in a transaction.
pub(super) fn insert_records(
    connection: &Connection,
    run: i64,
    records: &RunRecords,
) -> Result<(), StoreError> {
    for StoredTask { id, status, forced, reason, changed } in &records.tasks {
        let sql = "INSERT OR REPLACE INTO tasks VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        connection.execute(sql, (run, id, status, forced, reason, changed)).map_err(store_error)?;
    }
    for task in &records.roadmap {
        let (status, reason) = (task.status.as_str(), &task.reason);
        let sql = "INSERT OR REPLACE INTO tasks VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        connection
            .execute(sql, (run, &task.id, status, task.forced, reason, task.changed))
            .map_err(store_error)?;
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
            .map_err(store_error)?;
    }
    for attempt in &records.attempts {
        let StoredAttempt { task, at, status, blockers, work, session, .. } = attempt;
        let sql = "INSERT INTO attempts SELECT ?1, ?2, coalesce(max(number), 0) + 1, ?3, ?4, ?5, ?6, ?7 \
                   FROM attempts WHERE run = ?1 AND task = ?2";
        connection
            .execute(sql, (run, task, at, status, json(blockers), json(work), session))
            .map_err(store_error)?;
    }
    for entry in &records.context {
        let StoredContextEntry {
            timestamp,
            entry_type,
            topic,
            content,
            related_tasks,
            confidence,
            metadata,
            ..
        } = entry;
        let sql = "INSERT INTO context_entries VALUES (NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let (tasks, metadata) = (json(related_tasks), metadata.to_string());
        connection
            .execute(sql, (run, timestamp, entry_type, topic, content, tasks, confidence, metadata))
            .map_err(store_error)?;
    }
    for StoredRecovery { at, turn, intervention, loop_id, task, reason } in &records.recoveries {
        let sql = "INSERT INTO recoveries VALUES (NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        connection.execute(sql, (run, at, turn, intervention, loop_id, task, reason)).map_err(store_error)?;
    }
    Ok(())
}

fn json(list: &[String]) -> String {
    Value::from(list).to_string()
}

fn list(json: &str) -> Vec<String> {
    serde_json::from_str(json).unwrap_or_default()
}

/// Pads a state to a multiple of the block length.
pub(super) fn pad_state(mut state: String) -> String {
    let length = state.len().next_multiple_of(STATE_BLOCK);
    state.extend(std::iter::repeat_n(' ', length - state.len()));
    state
}

/// Removes the padding from a state.
pub(super) fn unpad_state(mut state: String) -> String {
    state.truncate(state.trim_end().len());
    state
}
