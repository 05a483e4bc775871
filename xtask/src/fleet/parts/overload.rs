//! More load than the server can handle, beside a client that sends a step from time to time.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use crate::chore_failure::ChoreFailure;
use crate::fleet::fleet_lab::FleetLab;
use crate::fleet::latency_figures::{LatencyFigures, ShownMillis};
use crate::fleet::promise_row::PromiseRow;
use crate::fleet::run_script::RunScript;
use crate::fleet::served_instance::owner_connection;
use crate::fleet::store_kind::StoreKind;

/// Number of steps of a request of the many clients.
const BATCH: usize = 200;
/// Number of the many clients.
const CLIENTS: usize = 40;
/// Pause of the client that is watched, between two steps.
const PACE: Duration = Duration::from_millis(50);
/// Longest time for an answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// Time within which 99 of 100 answers to the client that is watched have to come. A hook waits for as long.
const LIVE_TIME: Duration = Duration::from_millis(500);

/// Figures of the client that is watched.
#[derive(Debug, Default)]
struct LiveFigures {
    latency: LatencyFigures,
    refused: u64,
    problems: Vec<String>,
}

/// Figures of the many clients.
#[derive(Debug, Default)]
struct CrowdFigures {
    acknowledged: AtomicU64,
    shed: AtomicU64,
    without_time: AtomicU64,
    other: AtomicU64,
}

pub(super) fn run(lab: &FleetLab) -> Result<Vec<PromiseRow>, ChoreFailure> {
    lab.stores.iter().map(|store| on_store(lab, *store)).collect()
}

fn on_store(lab: &FleetLab, store: StoreKind) -> Result<PromiseRow, ChoreFailure> {
    let (plan, _cluster) = lab.new_service(store)?;
    let mut instance = plan.start()?;
    let address = instance.address()?;
    let time = lab.extent.overload;
    let mut alone = send_live(lab, address, "alone", time / 2);
    let (crowd, has_ended) = (CrowdFigures::default(), AtomicBool::new(false));
    let mut beside = thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (crowd, has_ended) = (&crowd, &has_ended);
            scope.spawn(move || send_batches(lab, address, client, crowd, has_ended));
        }
        sleep(Duration::from_secs(1));
        let beside = send_live(lab, address, "beside", time);
        has_ended.store(true, Ordering::Relaxed);
        beside
    });
    let mut after = send_live(lab, address, "after", time / 4);
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    let (shed, acknowledged) = (count(&crowd.shed), count(&crowd.acknowledged));
    let mut broken: Vec<String> = Vec::new();
    for figures in [&mut alone, &mut beside, &mut after] {
        broken.append(&mut figures.problems);
    }
    if shed == 0 {
        broken.push("no load was shed: the server was not overloaded".to_owned());
    }
    for (counter, what) in [
        (&crowd.without_time, "times status 429 without Retry-After"),
        (&crowd.other, "other answers than 200 and 429"),
    ] {
        if count(counter) > 0 {
            broken.push(format!("{} {what}", count(counter)));
        }
    }
    let most = beside.latency.quantile(0.99);
    if most > LIVE_TIME {
        broken.push(format!(
            "99 of 100 live verdicts within {}, not {}",
            ShownMillis(most),
            ShownMillis(LIVE_TIME)
        ));
    }
    let answered = beside.latency.count() as u64;
    if beside.refused * 100 > answered {
        broken.push(format!("{} of {} live steps were refused", beside.refused, beside.refused + answered));
    }
    let ratio = |share: f64| {
        let base = alone.latency.clone().quantile(share).as_secs_f64().max(1e-6);
        beside.latency.clone().quantile(share).as_secs_f64() / base
    };
    let (half_ratio, most_ratio) = (ratio(0.5), ratio(0.99));
    let seconds = (time + Duration::from_secs(1)).as_secs_f64();
    Ok(PromiseRow {
        tried: format!(
            "{CLIENTS} clients with batches of {BATCH} steps as fast as they can, {}",
            store.title()
        ),
        promised: format!(
            "what is too much gets 429 with `Retry-After`; a live client beside them is answered, 99 of 100 times within {}",
            ShownMillis(LIVE_TIME)
        ),
        seen: format!(
            "{:.0} steps a second recorded, {shed} requests shed; live steps alone {}, beside the load {} ({half_ratio:.1} and \
             {most_ratio:.1} times as long), {} refused, afterwards {}",
            acknowledged as f64 / seconds,
            alone.latency.describe(),
            beside.latency.describe(),
            beside.refused,
            after.latency.describe()
        ),
        broken,
    })
}

/// Sends single steps at a pace.
fn send_live(lab: &FleetLab, address: SocketAddr, group: &str, time: Duration) -> LiveFigures {
    let mut connection = owner_connection(address, PATIENCE);
    let mut figures = LiveFigures::default();
    let script = RunScript::new(&format!("live-{group}"), 3, lab.seed, (1_000_000, 1_000_000));
    let (started, mut number) = (Instant::now(), 0);
    while started.elapsed() < time {
        let sent = Instant::now();
        match connection.post_steps(&script.step(number)) {
            Ok(reply) if reply.status == 200 => {
                figures.latency.add(sent.elapsed());
                number += 1;
            }
            Ok(reply) if reply.status == 429 => figures.refused += 1,
            Ok(reply) => {
                figures.problems.push(format!("a live step got status {}: {}", reply.status, reply.body));
            }
            Err(error) => figures.problems.push(format!("a live step got no answer: {error}")),
        }
        sleep(PACE.saturating_sub(sent.elapsed()));
    }
    figures
}

/// Sends batches without a pause, as a client that does not respect `Retry-After`.
fn send_batches(
    lab: &FleetLab,
    address: SocketAddr,
    client: usize,
    crowd: &CrowdFigures,
    has_ended: &AtomicBool,
) {
    let mut connection = owner_connection(address, PATIENCE);
    let mut number = 0;
    let add = |counter: &AtomicU64, count: u64| {
        counter.fetch_add(count, Ordering::Relaxed);
    };
    while !has_ended.load(Ordering::Relaxed) {
        let script = RunScript::new(&format!("crowd-{client}"), number, lab.seed, (BATCH, BATCH));
        let body = script.steps(0..BATCH);
        while !has_ended.load(Ordering::Relaxed) {
            match connection.post_steps(&body) {
                Ok(reply) if reply.status == 200 => {
                    add(&crowd.acknowledged, BATCH as u64);
                    break;
                }
                Ok(reply) if reply.status == 429 => {
                    add(&crowd.shed, 1);
                    if reply.retry_after.is_none() {
                        add(&crowd.without_time, 1);
                    }
                    sleep(Duration::from_millis(20));
                }
                _ => add(&crowd.other, 1),
            }
        }
        number += 1;
    }
}
