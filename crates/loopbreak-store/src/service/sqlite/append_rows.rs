//! Additions to runs.

use rusqlite::{OptionalExtension as _, Statement, Transaction};

use super::spending_rows;
use crate::service::project_spending::SpendingSums;
use crate::service::usage_sums::UsageSums;
use crate::service::{AppendResult, IssueState, LoopUpdate, RunAppend};

/// A run while it is added to.
struct ChangedRun {
    project: i64,
    name: String,
    stop_request: Option<String>,
}

pub(super) fn append(
    change: &Transaction<'_>,
    batch: &[RunAppend],
    now: i64,
) -> rusqlite::Result<Vec<AppendResult>> {
    let mut rows = AppendStatements::prepare(change)?;
    let (mut usage, mut spending) = (UsageSums::default(), SpendingSums::default());
    let mut results = Vec::with_capacity(batch.len());
    for addition in batch {
        let Some(run) = rows.update_run(addition, now)? else {
            results.push(AppendResult::LeaseLost);
            continue;
        };
        let last_id = rows.insert_entries(addition, &run)?;
        if let Some(snapshot) = &addition.snapshot {
            rows.snapshot.execute((addition.lease.run, snapshot.seq, &snapshot.state))?;
        }
        for update in &addition.loops {
            rows.update_loop(update, addition.lease.run, &run, now)?;
        }
        usage.add(run.project, &addition.entries);
        spending.add(run.project, addition, now);
        results.push(AppendResult::Stored { last_id, stop_request: run.stop_request });
    }
    for (project, sum) in usage.rows() {
        rows.usage.execute((project, sum.day, sum.model, sum.detector, sum.steps, sum.tokens, sum.cost))?;
    }
    spending_rows::add(change, spending)?;
    Ok(results)
}

/// The statements of an addition, each prepared once for all runs.
struct AppendStatements<'c> {
    run: Statement<'c>,
    entry: Statement<'c>,
    snapshot: Statement<'c>,
    looped: Statement<'c>,
    loop_run: Statement<'c>,
    loop_runs: Statement<'c>,
    usage: Statement<'c>,
}

impl<'c> AppendStatements<'c> {
    fn prepare(change: &'c Transaction<'_>) -> rusqlite::Result<Self> {
        Ok(AppendStatements {
            run: change.prepare(
                "UPDATE runs SET seen = iif(?5 = 0, seen, max(seen, ?4)), last_seq = max(last_seq, ?5), steps = ?6, turn = ?7, verdict = ?8, \
                 worst = ?9, findings = ?10, cost = ?11, tokens = ?12, wasted_steps = ?13, wasted_cost = ?14, \
                 wasted_tokens = ?15, model = ?16, agent = ?17, stopped = ?18, held_out = ?19, warned_at = ?20 \
                 WHERE id = ?1 AND owner = ?2 AND epoch = ?3 RETURNING project, name, stop_request",
            )?,
            entry: change.prepare(
                "INSERT INTO entries (project, run, seq, at, kind, key, verdict, notable, input, answer) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?,
            snapshot: change.prepare("INSERT OR REPLACE INTO snapshots (run, seq, state) VALUES (?1, ?2, ?3)")?,
            // The detector that found a loop first describes it. A loop that was fixed opens again.
            looped: change.prepare(
                "INSERT INTO loops (project, loop, state, detector, pattern, severity, reason, tool, action, model, rule, \
                 findings, runs, steps, cost, tokens, first_seen, last_seen, last_run, opened) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 0, ?13, ?14, ?15, ?16, ?16, ?17, ?16) \
                 ON CONFLICT (project, loop) DO UPDATE SET \
                 state = CASE WHEN state = 'fixed' AND excluded.findings > 0 THEN 'open' ELSE state END, \
                 opened = CASE WHEN state = 'fixed' AND excluded.findings > 0 THEN excluded.opened ELSE opened END, \
                 severity = CASE WHEN severity = 'hard' OR excluded.severity = '' \
                   OR (severity = 'warn' AND excluded.severity = 'hint') THEN severity ELSE excluded.severity END, \
                 reason = CASE excluded.reason WHEN '' THEN reason ELSE excluded.reason END, \
                 tool = CASE excluded.tool WHEN '' THEN tool ELSE excluded.tool END, \
                 action = CASE excluded.action WHEN '' THEN action ELSE excluded.action END, \
                 model = CASE excluded.model WHEN '' THEN model ELSE excluded.model END, \
                 rule = CASE rule WHEN '' THEN excluded.rule ELSE rule END, \
                 findings = findings + excluded.findings, steps = steps + excluded.steps, cost = cost + excluded.cost, \
                 tokens = tokens + excluded.tokens, last_seen = max(last_seen, excluded.last_seen), \
                 last_run = excluded.last_run",
            )?,
            loop_run: change.prepare("INSERT OR IGNORE INTO loop_runs (project, loop, run) VALUES (?1, ?2, ?3)")?,
            loop_runs: change.prepare("UPDATE loops SET runs = runs + 1 WHERE project = ?1 AND loop = ?2")?,
            usage: change.prepare(
                "INSERT INTO usage (project, day, model, detector, steps, tokens, cost) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
                 ON CONFLICT (project, day, model, detector) DO UPDATE SET steps = steps + excluded.steps, \
                 tokens = tokens + excluded.tokens, cost = cost + excluded.cost",
            )?,
        })
    }

    /// Stores the figures of a run. Returns `None` if its lease was lost.
    fn update_run(&mut self, addition: &RunAppend, now: i64) -> rusqlite::Result<Option<ChangedRun>> {
        let RunAppend { lease, figures, entries, .. } = addition;
        let last_seq = entries.last().map_or(0, |entry| entry.seq);
        let values = rusqlite::params![
            lease.run,
            lease.owner,
            lease.epoch,
            now,
            last_seq,
            figures.steps,
            figures.turn,
            figures.verdict as u8,
            figures.worst as u8,
            figures.findings,
            figures.cost,
            figures.tokens,
            figures.wasted_steps,
            figures.wasted_cost,
            figures.wasted_tokens,
            figures.model,
            figures.agent,
            figures.stopped,
            figures.held_out,
            figures.warned_at,
        ];
        let read = |row: &rusqlite::Row<'_>| {
            Ok(ChangedRun { project: row.get(0)?, name: row.get(1)?, stop_request: row.get(2)? })
        };
        self.run.query_row(values, read).optional()
    }

    /// Stores entries, and returns the number of the last one.
    fn insert_entries(&mut self, addition: &RunAppend, run: &ChangedRun) -> rusqlite::Result<i64> {
        let mut last_id = 0;
        for entry in &addition.entries {
            last_id = self.entry.insert(rusqlite::params![
                run.project,
                addition.lease.run,
                entry.seq,
                entry.at,
                entry.kind.as_str(),
                entry.key,
                entry.verdict as u8,
                entry.notable,
                entry.input,
                entry.answer,
            ])?;
        }
        Ok(last_id)
    }

    fn update_loop(
        &mut self,
        update: &LoopUpdate,
        run_id: i64,
        run: &ChangedRun,
        now: i64,
    ) -> rusqlite::Result<()> {
        self.looped.execute(rusqlite::params![
            run.project,
            update.loop_id,
            IssueState::Open.as_str(),
            update.detector,
            update.pattern,
            update.severity,
            update.reason,
            update.tool,
            update.action,
            update.model,
            update.rule,
            update.findings,
            update.steps,
            update.cost,
            update.tokens,
            now,
            run.name,
        ])?;
        if self.loop_run.execute((run.project, &update.loop_id, run_id))? > 0 {
            self.loop_runs.execute((run.project, &update.loop_id))?;
        }
        Ok(())
    }
}
