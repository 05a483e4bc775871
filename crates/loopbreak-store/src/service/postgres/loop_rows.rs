//! Questions about loops and usage, and changes of loops.

use tokio_postgres::Row;

use super::entry_rows;
use super::postgres_session::PostgresSession;
use super::row_values::{row_limit, signed, storable, unsigned};
use super::sql_text::SqlText;
use crate::service::{
    AllowedLoop, DailyUsage, EntryKind, IssueState, LoopIssue, LoopOrder, LoopQuery, LoopUpdate, UsageQuery,
};

const SELECT: &str = "SELECT projects.name, loop, state, detector, pattern, severity, reason, tool, action, model, findings, \
     runs, steps, cost, tokens, first_seen, last_seen, last_run, opened FROM loops JOIN projects ON projects.id = project";

fn read_loop(row: &Row) -> Result<LoopIssue, tokio_postgres::Error> {
    Ok(LoopIssue {
        project: row.try_get(0)?,
        loop_id: row.try_get(1)?,
        state: row.try_get::<_, &str>(2)?.parse().unwrap_or_default(),
        detector: row.try_get(3)?,
        pattern: row.try_get(4)?,
        severity: row.try_get(5)?,
        reason: row.try_get(6)?,
        tool: row.try_get(7)?,
        action: row.try_get(8)?,
        model: row.try_get(9)?,
        count: unsigned(row, 10)?,
        runs: unsigned(row, 11)?,
        steps: unsigned(row, 12)?,
        cost: row.try_get(13)?,
        tokens: unsigned(row, 14)?,
        first_seen: row.try_get(15)?,
        last_seen: row.try_get(16)?,
        last_run: row.try_get(17)?,
        opened: row.try_get(18)?,
    })
}

/// Adds to a loop what a run, given as its number and name, met of it. The detector that found it first describes it. A loop that
/// was fixed opens again.
pub(super) fn update(
    session: &mut PostgresSession,
    project: i64,
    update: &LoopUpdate,
    (run_id, run_name): (i64, &str),
    now: i64,
) -> Result<(), tokio_postgres::Error> {
    let sql = "INSERT INTO loops (project, loop, state, detector, pattern, severity, reason, tool, action, model, rule, \
         findings, runs, steps, cost, tokens, first_seen, last_seen, last_run, opened) \
         VALUES ($1, $2, 'open', $3, $4, $5, $6, $7, $8, $9, $10, $11, 0, $12, $13, $14, $15, $15, $16, $15) \
         ON CONFLICT (project, loop) DO UPDATE SET \
         state = CASE WHEN loops.state = 'fixed' AND excluded.findings > 0 THEN 'open' ELSE loops.state END, \
         opened = CASE WHEN loops.state = 'fixed' AND excluded.findings > 0 THEN excluded.opened ELSE loops.opened END, \
         severity = CASE WHEN loops.severity = 'hard' OR excluded.severity = '' \
           OR (loops.severity = 'warn' AND excluded.severity = 'hint') THEN loops.severity ELSE excluded.severity END, \
         reason = coalesce(nullif(excluded.reason, ''), loops.reason), \
         tool = coalesce(nullif(excluded.tool, ''), loops.tool), \
         action = coalesce(nullif(excluded.action, ''), loops.action), \
         model = coalesce(nullif(excluded.model, ''), loops.model), \
         rule = coalesce(nullif(loops.rule, ''), excluded.rule), \
         findings = loops.findings + excluded.findings, steps = loops.steps + excluded.steps, \
         cost = loops.cost + excluded.cost, tokens = loops.tokens + excluded.tokens, \
         last_seen = greatest(loops.last_seen, excluded.last_seen), last_run = excluded.last_run";
    let loop_id = storable(&update.loop_id);
    session.execute(
        sql,
        &[
            &project,
            &loop_id,
            &storable(&update.detector),
            &storable(&update.pattern),
            &storable(&update.severity),
            &storable(&update.reason),
            &storable(&update.tool),
            &storable(&update.action),
            &storable(&update.model),
            &storable(&update.rule),
            &signed(update.findings),
            &signed(update.steps),
            &update.cost,
            &signed(update.tokens),
            &now,
            &run_name,
        ],
    )?;
    let met = "INSERT INTO loop_runs (project, loop, run) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    if session.execute(met, &[&project, &loop_id, &run_id])? > 0 {
        let count = "UPDATE loops SET runs = runs + 1 WHERE project = $1 AND loop = $2";
        session.execute(count, &[&project, &loop_id])?;
    }
    Ok(())
}

pub(super) fn select(
    session: &mut PostgresSession,
    query: &LoopQuery,
) -> Result<Vec<LoopIssue>, tokio_postgres::Error> {
    let project = query.project.as_deref().map(storable);
    let state = query.state.map(IssueState::as_str);
    let (limit, offset) = (row_limit(query.limit), row_limit(query.offset));
    let mut sql = SqlText::new(format!("{SELECT} WHERE true"));
    sql.push_if(" AND projects.name = ?", project.as_ref());
    sql.push_if(" AND state = ?", state.as_ref());
    sql.push_if(" AND last_seen >= ?", query.since.as_ref());
    sql.push_if(" AND opened >= ?", query.opened_since.as_ref());
    sql.push(match query.order {
        LoopOrder::Cost => " ORDER BY cost DESC, steps DESC, loop",
        LoopOrder::Count => " ORDER BY findings DESC, loop",
        LoopOrder::LastSeen => " ORDER BY last_seen DESC, loop",
    });
    sql.push_with(" LIMIT ? OFFSET ?", &[&limit, &offset]);
    session.query(sql.text(), sql.values())?.iter().map(read_loop).collect()
}

pub(super) fn find(
    session: &mut PostgresSession,
    project: &str,
    loop_id: &str,
) -> Result<Option<LoopIssue>, tokio_postgres::Error> {
    let sql = format!("{SELECT} WHERE projects.name = $1 AND loop = $2");
    let row = session.query_opt(&sql, &[&storable(project), &storable(loop_id)])?;
    row.as_ref().map(read_loop).transpose()
}

pub(super) fn set_state(
    session: &mut PostgresSession,
    project: &str,
    loop_id: &str,
    state: IssueState,
    now: i64,
) -> Result<bool, tokio_postgres::Error> {
    let changed = session.execute(
        "UPDATE loops SET state = $3 WHERE loop = $2 AND project = (SELECT id FROM projects WHERE name = $1)",
        &[&storable(project), &storable(loop_id), &state.as_str()],
    )?;
    if changed == 0 {
        return Ok(false);
    }
    let detail = serde_json::json!({"loop": loop_id, "state": state.as_str()}).to_string();
    entry_rows::note(session, project, None, EntryKind::Loop, &detail, now)?;
    Ok(true)
}

pub(super) fn allowed(
    session: &mut PostgresSession,
    project: &str,
) -> Result<Vec<AllowedLoop>, tokio_postgres::Error> {
    let sql = "SELECT loop, rule FROM loops JOIN projects ON projects.id = project \
         WHERE projects.name = $1 AND state = 'allowed' ORDER BY loop";
    let rows = session.query(sql, &[&storable(project)])?;
    rows.iter().map(|row| Ok(AllowedLoop { loop_id: row.try_get(0)?, rule: row.try_get(1)? })).collect()
}

pub(super) fn usage(
    session: &mut PostgresSession,
    query: &UsageQuery,
) -> Result<Vec<DailyUsage>, tokio_postgres::Error> {
    let sql = "SELECT projects.name, day, model, detector, steps, tokens, cost FROM usage \
         JOIN projects ON projects.id = project WHERE day >= $1 AND ($2::text IS NULL OR projects.name = $2) \
         ORDER BY day DESC, projects.name, model, detector LIMIT $3";
    let project = query.project.as_deref().map(storable);
    let rows = session.query(sql, &[&query.since_day, &project, &row_limit(query.limit)])?;
    let read = |row: &Row| {
        Ok(DailyUsage {
            project: row.try_get(0)?,
            day: row.try_get(1)?,
            model: row.try_get(2)?,
            detector: row.try_get(3)?,
            steps: unsigned(row, 4)?,
            tokens: unsigned(row, 5)?,
            cost: row.try_get(6)?,
        })
    };
    rows.iter().map(read).collect()
}
