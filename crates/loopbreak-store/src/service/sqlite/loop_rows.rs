//! Questions about loops and usage, and decisions about loops.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params_from_iter};

use super::entry_rows;
use super::run_rows::row_limit;
use crate::service::{
    AllowedLoop, DailyUsage, EntryKind, IssueState, LoopIssue, LoopOrder, LoopQuery, UsageQuery,
};

const SELECT: &str = "SELECT projects.name, loop, state, detector, pattern, severity, reason, tool, action, model, findings, \
     runs, steps, cost, tokens, first_seen, last_seen, last_run, opened FROM loops JOIN projects ON projects.id = project";

fn read_loop(row: &Row<'_>) -> rusqlite::Result<LoopIssue> {
    Ok(LoopIssue {
        project: row.get(0)?,
        loop_id: row.get(1)?,
        state: row.get::<_, String>(2)?.parse().unwrap_or_default(),
        detector: row.get(3)?,
        pattern: row.get(4)?,
        severity: row.get(5)?,
        reason: row.get(6)?,
        tool: row.get(7)?,
        action: row.get(8)?,
        model: row.get(9)?,
        count: row.get(10)?,
        runs: row.get(11)?,
        steps: row.get(12)?,
        cost: row.get(13)?,
        tokens: row.get(14)?,
        first_seen: row.get(15)?,
        last_seen: row.get(16)?,
        last_run: row.get(17)?,
        opened: row.get(18)?,
    })
}

pub(super) fn select(connection: &Connection, query: &LoopQuery) -> rusqlite::Result<Vec<LoopIssue>> {
    let mut values: Vec<Value> = Vec::new();
    let mut sql = format!("{SELECT} WHERE true");
    if let Some(project) = &query.project {
        sql.push_str(" AND projects.name = ?");
        values.push(project.clone().into());
    }
    if let Some(state) = query.state {
        sql.push_str(" AND state = ?");
        values.push(state.as_str().to_owned().into());
    }
    if let Some(since) = query.since {
        sql.push_str(" AND last_seen >= ?");
        values.push(since.into());
    }
    if let Some(since) = query.opened_since {
        sql.push_str(" AND opened >= ?");
        values.push(since.into());
    }
    sql.push_str(match query.order {
        LoopOrder::Cost => " ORDER BY cost DESC, steps DESC, loop",
        LoopOrder::Count => " ORDER BY findings DESC, loop",
        LoopOrder::LastSeen => " ORDER BY last_seen DESC, loop",
    });
    sql.push_str(" LIMIT ? OFFSET ?");
    values.extend([row_limit(query.limit), row_limit(query.offset)]);
    connection.prepare(&sql)?.query_map(params_from_iter(values), read_loop)?.collect()
}

pub(super) fn find(
    connection: &Connection,
    project: &str,
    loop_id: &str,
) -> rusqlite::Result<Option<LoopIssue>> {
    let sql = format!("{SELECT} WHERE projects.name = ?1 AND loop = ?2");
    connection.query_row(&sql, (project, loop_id), read_loop).optional()
}

pub(super) fn set_state(
    change: &Transaction<'_>,
    project: &str,
    loop_id: &str,
    state: IssueState,
    now: i64,
) -> rusqlite::Result<bool> {
    let changed = change.execute(
        "UPDATE loops SET state = ?3 WHERE loop = ?2 AND project = (SELECT id FROM projects WHERE name = ?1)",
        (project, loop_id, state.as_str()),
    )?;
    if changed == 0 {
        return Ok(false);
    }
    let detail = serde_json::json!({"loop": loop_id, "state": state.as_str()}).to_string();
    entry_rows::note(change, project, None, EntryKind::Loop, &detail, now)?;
    Ok(true)
}

pub(super) fn allowed(connection: &Connection, project: &str) -> rusqlite::Result<Vec<AllowedLoop>> {
    connection
        .prepare(
            "SELECT loop, rule FROM loops JOIN projects ON projects.id = project \
             WHERE projects.name = ?1 AND state = 'allowed' ORDER BY loop",
        )?
        .query_map((project,), |row| Ok(AllowedLoop { loop_id: row.get(0)?, rule: row.get(1)? }))?
        .collect()
}

pub(super) fn usage(connection: &Connection, query: &UsageQuery) -> rusqlite::Result<Vec<DailyUsage>> {
    connection
        .prepare(
            "SELECT projects.name, day, model, detector, steps, tokens, cost FROM usage \
             JOIN projects ON projects.id = project WHERE day >= ?1 AND (?2 IS NULL OR projects.name = ?2) \
             ORDER BY day DESC, projects.name, model, detector LIMIT ?3",
        )?
        .query_map((query.since_day, &query.project, query.limit), |row| {
            Ok(DailyUsage {
                project: row.get(0)?,
                day: row.get(1)?,
                model: row.get(2)?,
                detector: row.get(3)?,
                steps: row.get(4)?,
                tokens: row.get(5)?,
                cost: row.get(6)?,
            })
        })?
        .collect()
}
