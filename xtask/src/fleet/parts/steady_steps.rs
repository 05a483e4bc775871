//! Single steps from many connections at a steady rate.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use crate::chore_failure::ChoreFailure;
use crate::fleet::fleet_lab::FleetLab;
use crate::fleet::latency_figures::LatencyFigures;
use crate::fleet::promise_row::PromiseRow;
use crate::fleet::run_script::RunScript;
use crate::fleet::served_instance::owner_connection;
use crate::fleet::store_kind::StoreKind;

/// Longest time for an answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// The share of the rate that has to be reached.
const REACHED: f64 = 0.99;
/// Number of steps of a run, after which its client begins another one.
const RUN_STEPS: usize = 60;
/// Memory of the thread of a client, in bytes.
const STACK: usize = 256 * 1024;

/// Figures of the clients.
#[derive(Debug, Default)]
struct SteadyFigures {
    latency: LatencyFigures,
    errors: Vec<String>,
}

pub(super) fn run(lab: &FleetLab) -> Result<Vec<PromiseRow>, ChoreFailure> {
    lab.stores.iter().map(|store| on_store(lab, *store)).collect()
}

fn on_store(lab: &FleetLab, store: StoreKind) -> Result<PromiseRow, ChoreFailure> {
    let (plan, _cluster) = lab.new_service(store)?;
    let mut instance = plan.start()?;
    let address = instance.address()?;
    let (connections, rate, time) = (lab.extent.connections, lab.extent.rate, lab.extent.steady);
    let sum = Mutex::new(SteadyFigures::default());
    let started = Instant::now();
    let failure = thread::scope(|scope| {
        let mut progress = lab.progress();
        for client in 0..connections {
            let sum = &sum;
            let builder = thread::Builder::new().stack_size(STACK);
            let spawned = builder.spawn_scoped(scope, move || {
                let figures = send(lab, address, client, started);
                let mut sum = sum.lock().unwrap_or_else(PoisonError::into_inner);
                sum.latency.extend(&figures.latency);
                sum.errors.extend(figures.errors);
            });
            if let Err(error) = spawned {
                return Some(ChoreFailure::io("start a client", &error));
            }
        }
        while started.elapsed() < time {
            sleep(Duration::from_millis(200));
            progress.tell(|| format!("{} s of {} s", started.elapsed().as_secs(), time.as_secs()));
        }
        None
    });
    if let Some(failure) = failure {
        return Err(failure);
    }
    let seconds = started.elapsed().as_secs_f64();
    let SteadyFigures { mut latency, errors } = sum.into_inner().unwrap_or_else(PoisonError::into_inner);
    let reached = latency.count() as f64 / seconds;
    let mut broken = errors.clone();
    if reached < REACHED * rate as f64 {
        broken.push(format!("{reached:.0} steps a second, not {rate}"));
    }
    Ok(PromiseRow {
        tried: format!(
            "single steps from {connections} connections, {rate} a second for {} s, {}",
            time.as_secs(),
            store.title()
        ),
        promised: "the rate holds, without an error".to_owned(),
        seen: format!(
            "{reached:.0} steps a second, {} errors; {}; memory {:.0} MB",
            errors.len(),
            latency.describe(),
            instance.memory()
        ),
        broken,
    })
}

/// Sends the steps of a client, each at its time. A late answer does not move the next ones: the time that a step waits for
/// the one before counts.
fn send(lab: &FleetLab, address: SocketAddr, client: usize, started: Instant) -> SteadyFigures {
    let (connections, rate) = (lab.extent.connections, lab.extent.rate);
    let mut connection = owner_connection(address, PATIENCE);
    let mut figures = SteadyFigures::default();
    for number in 0.. {
        let due = started + Duration::from_secs_f64((number * connections + client) as f64 / rate as f64);
        if due >= started + lab.extent.steady {
            break;
        }
        let script =
            RunScript::new(&format!("steady-{client}"), number / RUN_STEPS, lab.seed, (RUN_STEPS, RUN_STEPS));
        let body = script.step(number % RUN_STEPS);
        sleep(due.saturating_duration_since(Instant::now()));
        match connection.post_steps(&body) {
            Ok(reply) if reply.status == 200 => figures.latency.add(due.elapsed()),
            Ok(reply) => figures.errors.push(format!("status {}: {}", reply.status, reply.body)),
            Err(error) => figures.errors.push(error.to_string()),
        }
    }
    figures
}
