//! Additions to runs.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::figure_columns::{EntryColumns, FigureColumns};
use super::lease_rows::lock_runs;
use super::loop_rows;
use super::postgres_session::PostgresSession;
use super::row_values::{row_limit, signed, storable};
use super::spending_rows;
use crate::service::project_spending::SpendingSums;
use crate::service::usage_sums::UsageSums;
use crate::service::{AppendResult, LoopUpdate, RunAppend};

/// Number of the advisory lock under which entries get their ids. Without it, an entry with a larger id could be seen before
/// one with a smaller id, and readers that continue after the last id they saw would miss the other.
const ENTRY_LOCK: i64 = 0x4c42_7376_0002;
/// Channel on which the database announces new entries.
pub(super) const ENTRY_CHANNEL: &str = "loopbreak_entries";

/// A run while it is added to.
struct AppendedRun {
    project: i64,
    name: String,
    stop_request: Option<String>,
}

pub(super) fn append(
    session: &mut PostgresSession,
    batch: &[RunAppend],
    now: i64,
) -> Result<Vec<AppendResult>, tokio_postgres::Error> {
    let runs: BTreeSet<i64> = batch.iter().map(|addition| addition.lease.run).collect();
    let is_plain = runs.len() == batch.len();
    lock_runs(session, &runs.into_iter().collect::<Vec<_>>())?;
    let additions: Vec<&RunAppend> = batch.iter().collect();
    // A statement can change a row once. More than one addition to a run in a batch is unusual.
    let size = if is_plain { additions.len().max(1) } else { 1 };
    let mut known = HashMap::new();
    let mut stored = vec![false; batch.len()];
    for (part, from) in additions.chunks(size).zip((0..).step_by(size)) {
        let changed = update_runs(session, part, now)?;
        for (offset, addition) in part.iter().enumerate() {
            stored[from + offset] = changed.contains_key(&addition.lease.run);
        }
        known.extend(changed);
    }
    let held: Vec<&RunAppend> =
        additions.iter().zip(&stored).filter(|(_, stored)| **stored).map(|(addition, _)| *addition).collect();
    update_snapshots(session, &held)?;
    update_loops(session, &held, &known, now)?;
    update_usage(session, &held, &known, now)?;
    let last_ids = insert_entries(session, &held, &known)?;
    let mut last_ids = last_ids.into_iter();
    let results = additions.iter().zip(stored).map(|(addition, stored)| {
        if !stored {
            return AppendResult::LeaseLost;
        }
        let stop_request = known.get(&addition.lease.run).and_then(|run| run.stop_request.clone());
        AppendResult::Stored { last_id: last_ids.next().unwrap_or(0), stop_request }
    });
    Ok(results.collect())
}

/// Stores the figures of runs. Returns those whose lease is still held.
fn update_runs(
    session: &mut PostgresSession,
    batch: &[&RunAppend],
    now: i64,
) -> Result<HashMap<i64, AppendedRun>, tokio_postgres::Error> {
    if batch.is_empty() {
        return Ok(HashMap::new());
    }
    let columns = FigureColumns::from_batch(batch);
    let sql = "UPDATE runs SET seen = CASE WHEN new.last_seq = 0 THEN runs.seen ELSE greatest(runs.seen, $20) END, \
         last_seq = greatest(runs.last_seq, new.last_seq), \
         steps = new.steps, turn = new.turn, verdict = new.verdict, worst = new.worst, findings = new.findings, \
         cost = new.cost, tokens = new.tokens, wasted_steps = new.wasted_steps, wasted_cost = new.wasted_cost, \
         wasted_tokens = new.wasted_tokens, model = new.model, agent = new.agent, stopped = new.stopped, \
         held_out = new.held_out, warned_at = new.warned_at \
         FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::smallint[], \
         $8::smallint[], $9::bigint[], $10::float8[], $11::bigint[], $12::bigint[], $13::float8[], $14::bigint[], \
         $15::text[], $16::text[], $17::text[], $18::boolean[], $19::bigint[]) \
         AS new (run, owner, epoch, last_seq, steps, turn, verdict, worst, findings, cost, tokens, wasted_steps, \
         wasted_cost, wasted_tokens, model, agent, stopped, held_out, warned_at) \
         WHERE runs.id = new.run AND runs.owner = new.owner AND runs.epoch = new.epoch \
         RETURNING runs.id, runs.project, runs.name, runs.stop_request";
    let rows = session.query(
        sql,
        &[
            &columns.run,
            &columns.owner,
            &columns.epoch,
            &columns.last_seq,
            &columns.steps,
            &columns.turn,
            &columns.verdict,
            &columns.worst,
            &columns.findings,
            &columns.cost,
            &columns.tokens,
            &columns.wasted_steps,
            &columns.wasted_cost,
            &columns.wasted_tokens,
            &columns.model,
            &columns.agent,
            &columns.stopped,
            &columns.held_out,
            &columns.warned_at,
            &now,
        ],
    )?;
    let read = |row: &tokio_postgres::Row| {
        let run =
            AppendedRun { project: row.try_get(1)?, name: row.try_get(2)?, stop_request: row.try_get(3)? };
        Ok((row.try_get(0)?, run))
    };
    rows.iter().map(read).collect()
}

fn update_snapshots(
    session: &mut PostgresSession,
    batch: &[&RunAppend],
) -> Result<(), tokio_postgres::Error> {
    // The last one of a run counts.
    let snapshots: BTreeMap<i64, _> = batch
        .iter()
        .filter_map(|addition| addition.snapshot.as_ref().map(|snapshot| (addition.lease.run, snapshot)))
        .collect();
    if snapshots.is_empty() {
        return Ok(());
    }
    let runs: Vec<i64> = snapshots.keys().copied().collect();
    let seqs: Vec<i64> = snapshots.values().map(|snapshot| signed(snapshot.seq)).collect();
    let states: Vec<_> = snapshots.values().map(|snapshot| storable(&snapshot.state)).collect();
    let sql = "INSERT INTO snapshots (run, seq, state) SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[]) \
         ON CONFLICT (run) DO UPDATE SET seq = excluded.seq, state = excluded.state";
    session.execute(sql, &[&runs, &seqs, &states])?;
    Ok(())
}

fn update_loops(
    session: &mut PostgresSession,
    batch: &[&RunAppend],
    known: &HashMap<i64, AppendedRun>,
    now: i64,
) -> Result<(), tokio_postgres::Error> {
    let mut updates: Vec<(i64, &LoopUpdate, i64, &AppendedRun)> = Vec::new();
    for addition in batch {
        let Some(run) = known.get(&addition.lease.run) else { continue };
        updates.extend(addition.loops.iter().map(|update| (run.project, update, addition.lease.run, run)));
    }
    // All servers change loops in the same order. The order of the updates of one loop stays.
    updates.sort_by(|a, b| (a.0, &a.1.loop_id).cmp(&(b.0, &b.1.loop_id)));
    for (project, update, run_id, run) in updates {
        loop_rows::update(session, project, update, (run_id, &run.name), now)?;
    }
    Ok(())
}

fn update_usage(
    session: &mut PostgresSession,
    batch: &[&RunAppend],
    known: &HashMap<i64, AppendedRun>,
    now: i64,
) -> Result<(), tokio_postgres::Error> {
    let (mut sums, mut spending) = (UsageSums::default(), SpendingSums::default());
    for addition in batch {
        if let Some(run) = known.get(&addition.lease.run) {
            sums.add(run.project, &addition.entries);
            spending.add(run.project, addition, now);
        }
    }
    let sql = "INSERT INTO usage (project, day, model, detector, steps, tokens, cost) VALUES ($1, $2, $3, $4, $5, $6, $7) \
         ON CONFLICT (project, day, model, detector) DO UPDATE SET steps = usage.steps + excluded.steps, \
         tokens = usage.tokens + excluded.tokens, cost = usage.cost + excluded.cost";
    for (project, usage) in sums.rows() {
        let (model, detector) = (storable(&usage.model), storable(&usage.detector));
        let (steps, tokens) = (signed(usage.steps), signed(usage.tokens));
        session.execute(sql, &[&project, &usage.day, &model, &detector, &steps, &tokens, &usage.cost])?;
    }
    spending_rows::add(session, spending)
}

/// Stores entries and announces them. Returns for each addition the number of its last entry, 0 without one. Until the
/// transaction ends, nobody else can store entries.
fn insert_entries(
    session: &mut PostgresSession,
    batch: &[&RunAppend],
    known: &HashMap<i64, AppendedRun>,
) -> Result<Vec<i64>, tokio_postgres::Error> {
    let count: usize = batch.iter().map(|addition| addition.entries.len()).sum();
    if count == 0 {
        return Ok(vec![0; batch.len()]);
    }
    let first = next_ids(session, count)?;
    let mut ids = first..;
    let mut columns = EntryColumns::default();
    let mut last_ids = Vec::with_capacity(batch.len());
    for addition in batch {
        let mut last_id = 0;
        let project = known.get(&addition.lease.run).map_or(0, |run| run.project);
        for (entry, id) in addition.entries.iter().zip(&mut ids) {
            columns.push(id, project, addition.lease.run, entry);
            last_id = id;
        }
        last_ids.push(last_id);
    }
    let keyed = "INSERT INTO entry_keys (run, key, id, at) SELECT * FROM \
         unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[]) AS new (run, key, id, at) WHERE key IS NOT NULL";
    if columns.key.iter().any(Option::is_some) {
        session.execute(keyed, &[&columns.run, &columns.key, &columns.id, &columns.at])?;
    }
    let insert = "INSERT INTO entries (id, project, run, seq, at, kind, key, verdict, notable, input, answer) \
         SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], \
         $8::smallint[], $9::boolean[], $10::text[], $11::text[])";
    session.execute(
        insert,
        &[
            &columns.id,
            &columns.project,
            &columns.run,
            &columns.seq,
            &columns.at,
            &columns.kind,
            &columns.key,
            &columns.verdict,
            &columns.notable,
            &columns.input,
            &columns.answer,
        ],
    )?;
    Ok(last_ids)
}

/// Takes the next ids of entries and returns the first. They become visible in their order.
pub(super) fn next_ids(session: &mut PostgresSession, count: usize) -> Result<i64, tokio_postgres::Error> {
    session.execute("SELECT pg_advisory_xact_lock($1)", &[&ENTRY_LOCK])?;
    session.execute("SELECT pg_notify($1, '')", &[&ENTRY_CHANNEL])?;
    let count = row_limit(count);
    let sql = "SELECT setval('entry_ids', nextval('entry_ids') + $1 - 1) - $1 + 1";
    session.query_one(sql, &[&count])?.try_get(0)
}
