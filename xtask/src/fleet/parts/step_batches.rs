//! Batches of steps through the API, beside raw inserts of the rows that they became.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::raw_inserts::RawInserts;
use crate::chore_failure::ChoreFailure;
use crate::fleet::fleet_lab::FleetLab;
use crate::fleet::promise_row::PromiseRow;
use crate::fleet::run_script::RunScript;
use crate::fleet::served_instance::owner_connection;
use crate::fleet::store_kind::StoreKind;

/// Number of steps of a batch.
pub(super) const BATCH: usize = 200;
/// Number of runs of a batch.
const RUNS: usize = 10;
/// Number of clients.
const CLIENTS: usize = 4;
/// Number of measurements, of which the middle one counts.
const ROUNDS: usize = 3;
/// The smallest share of the speed of raw inserts that is promised.
const SHARE: f64 = 0.5;
const PATIENCE: Duration = Duration::from_mins(1);

pub(super) fn run(lab: &FleetLab) -> Result<Vec<PromiseRow>, ChoreFailure> {
    lab.stores.iter().map(|store| on_store(lab, *store)).collect()
}

fn on_store(lab: &FleetLab, store: StoreKind) -> Result<PromiseRow, ChoreFailure> {
    let (plan, cluster) = lab.new_service(store)?;
    let mut instance = plan.start()?;
    let address = instance.address()?;
    let per_round = lab.extent.batches.div_ceil(ROUNDS).max(CLIENTS);
    // Opens connections and files.
    send_all(lab, address, "warm", CLIENTS)?;
    let (mut served, mut raw) = (Vec::new(), Vec::new());
    let mut inserts: Option<RawInserts> = None;
    for round in 0..ROUNDS {
        served.push(send_all(lab, address, &format!("round-{round}"), per_round)?);
        if inserts.is_none() {
            inserts = Some(RawInserts::prepare(lab, &plan, cluster.as_ref())?);
        }
        if let Some(inserts) = &inserts {
            raw.push(inserts.run(cluster.as_ref())?);
        }
    }
    let (served, raw) = (middle(&mut served), middle(&mut raw));
    let share = served / raw;
    let mut broken = Vec::new();
    if share < SHARE {
        broken.push(format!("{:.0} % of raw inserts, not {:.0} %", 100.0 * share, 100.0 * SHARE));
    }
    Ok(PromiseRow {
        tried: format!("{per_round} batches of {BATCH} steps from {CLIENTS} clients, {}", store.title()),
        promised: format!(
            "at least {:.0} % of the speed of raw batched inserts of the same rows",
            100.0 * SHARE
        ),
        seen: format!(
            "{served:.0} steps a second, raw inserts {raw:.0} rows a second: {:.0} % (the middle of {ROUNDS} rounds)",
            100.0 * share
        ),
        broken,
    })
}

fn middle(figures: &mut [f64]) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or_default()
}

/// Sends batches from all clients, and returns the number of steps per second.
fn send_all(lab: &FleetLab, address: SocketAddr, group: &str, batches: usize) -> Result<f64, ChoreFailure> {
    // The clients share the machine with the server, so that they only send what is ready.
    let bodies: Vec<String> = (0..batches).map(|batch| batch_body(lab, group, batch)).collect();
    let (next, failure) = (AtomicUsize::new(0), Mutex::new(None));
    let started = Instant::now();
    thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                let mut connection = owner_connection(address, PATIENCE);
                while let Some(body) = bodies.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let answer = connection.post_steps(body);
                    if let Some(why) = problem(answer) {
                        *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
                    }
                }
            });
        }
    });
    let seconds = started.elapsed().as_secs_f64();
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(why) => Err(ChoreFailure::Failed(format!("a batch was not recorded: {why}"))),
        None => Ok((batches * BATCH) as f64 / seconds),
    }
}

fn problem(answer: std::io::Result<crate::fleet::http_connection::ServedReply>) -> Option<String> {
    match answer {
        Ok(reply) if reply.status == 200 => None,
        Ok(reply) => Some(format!("status {}: {}", reply.status, reply.body)),
        Err(error) => Some(error.to_string()),
    }
}

/// Returns a batch with steps of some runs, mixed as they would come.
fn batch_body(lab: &FleetLab, group: &str, batch: usize) -> String {
    let steps = BATCH / RUNS;
    let scripts: Vec<RunScript> = (0..RUNS)
        .map(|run| RunScript::new(&format!("{group}-{batch}"), run, lab.seed, (steps, steps)))
        .collect();
    let steps = (0..steps).flat_map(|step| scripts.iter().map(move |script| script.step(step)));
    format!("[{}]", steps.collect::<Vec<_>>().join(","))
}
