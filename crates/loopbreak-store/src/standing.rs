//! How runs stand: what `status` tells, whoever asks.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::{Attempt, Memory, Run, Store, StoreError};

/// A run that was silent for so long, in milliseconds, is not said to be running.
pub const LIVE_MS: i64 = 60 * 60 * 1000;
/// The most runs that are told of.
const MOST: usize = 1000;

/// How a run stands.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Standing {
    /// The run.
    #[serde(flatten)]
    pub run: Run,
    /// It has not ended, and was not silent for long.
    pub running: bool,
    /// How many turns it had.
    pub tick_count: u64,
    /// The loops that were seen in it by their ids, and its tasks by theirs.
    pub loop_detection: Map<String, Value>,
}

/// How the runs of the last hour stand that have not ended, or all that are kept.
pub fn standings(
    store: &impl Store,
    all: bool,
    now: i64,
    warn: impl Fn(&str),
) -> Result<Vec<Standing>, StoreError> {
    let since = if all { i64::MIN } else { now.saturating_sub(LIVE_MS) };
    let runs = store.runs(since, MOST)?.into_iter().filter(|run| all || run.ended.is_none());
    runs.map(|run| standing(store, run, now, &warn)).collect()
}

/// How one run stands.
pub fn standing(store: &impl Store, run: Run, now: i64, warn: impl Fn(&str)) -> Result<Standing, StoreError> {
    let memory = Memory::read(store.snapshot(&run.key())?.as_deref(), warn);
    let seen = |seen| serde_json::to_value(seen).unwrap_or_default();
    let mut loop_detection: Map<String, Value> =
        memory.loops.iter().map(|known| (known.id.clone(), seen(known))).collect();
    // The attempts at a task come in order: the last one stands for all.
    for Attempt { task, number, at, status, .. } in store.attempts(&run)? {
        loop_detection.insert(
            task,
            json!({"attemptCount": number, "lastAttempt": at, "status": status, "pattern": "task"}),
        );
    }
    let running = run.ended.is_none() && run.seen >= now.saturating_sub(LIVE_MS);
    Ok(Standing { run, running, tick_count: memory.turn, loop_detection })
}

/// All of them as one object. One run alone could be shown as it is; all of them together have the same keys.
pub fn summed(standings: &[Standing]) -> Value {
    let mut loops = Map::new();
    for standing in standings {
        loops.extend(standing.loop_detection.clone());
    }
    json!({
        "running": standings.iter().any(|standing| standing.running),
        "tickCount": standings.iter().map(|standing| standing.tick_count).sum::<u64>(),
        "loopDetection": loops,
        "runs": standings,
    })
}
