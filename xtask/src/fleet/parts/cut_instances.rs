//! Two servers on one database. One of them is cut off for longer than its leases last, then continues.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::chore_failure::ChoreFailure;
use crate::fleet::database_cluster::DatabaseCluster;
use crate::fleet::fleet_lab::FleetLab;
use crate::fleet::latency_figures::ShownMillis;
use crate::fleet::promise_row::PromiseRow;
use crate::fleet::run_script::RunScript;
use crate::fleet::run_traffic::{RunTraffic, ServerList, TrafficPlan, with_traffic};
use crate::fleet::served_instance::{InstancePlan, ServedInstance, owner_connection};
use crate::fleet::step_audit::StepAudit;
use crate::fleet::store_kind::StoreKind;
use crate::fleet::tcp_relay::TcpRelay;

/// Time that the clients have to send the rest.
const REST: Duration = Duration::from_mins(8);
/// Time in which other servers take over the runs of one that was cut off, with the time until its leases end.
const TAKEN_OVER: Duration = Duration::from_secs(40);

/// Longest time in which the other server may answer nothing: it waits for locks that the one that was cut off holds.
const LONGEST_GAP: Duration = Duration::from_secs(12);
/// Pause between two steps that are sent to the other server.
const PROBE_PAUSE: Duration = Duration::from_millis(30);
/// Time for which a server stands still in the tests.
const BRIEF: Duration = Duration::from_secs(10);

/// The way in which a server is cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CutKind {
    /// Its connections stay open, and nothing comes through: what it sent arrives when it is no longer cut off.
    Silent,
    /// Its connections are closed.
    Closed,
    /// The server itself stands still.
    Paused,
}

pub(super) fn run(lab: &FleetLab) -> Result<Vec<PromiseRow>, ChoreFailure> {
    if !lab.stores.contains(&StoreKind::Postgres) {
        return Ok(Vec::new());
    }
    let cluster = lab.new_cluster()?;
    cluster.create_database("service")?;
    let relays = [TcpRelay::start(&cluster.socket())?, TcpRelay::start(&cluster.socket())?];
    let start = |relay: &TcpRelay| {
        let store = DatabaseCluster::url_by(relay.address, "service");
        InstancePlan::new(lab.program(), lab.new_folder("home"), store).start()
    };
    let mut instances = [start(&relays[0])?, start(&relays[1])?];
    let addresses = [instances[0].address()?, instances[1].address()?];
    let servers = ServerList::new(addresses.into());
    let extent = &lab.extent;
    let traffic = TrafficPlan {
        group: "two".to_owned(),
        seed: lab.seed,
        active: extent.runs,
        waiting: extent.runs,
        runs: Some(extent.runs),
        // Enough that all are under way while the servers are cut off.
        steps: if extent.is_short { (150, 250) } else { (60, 120) },
        batch: 1,
        workers: if extent.is_short { 16 } else { 48 },
        pause: Duration::from_millis(if extent.is_short { 50 } else { 90 }),
        patience: Duration::from_secs(10),
    };
    let cuts: &[(usize, CutKind)] = if extent.is_short {
        &[(0, CutKind::Silent), (1, CutKind::Paused)]
    } else {
        &[(0, CutKind::Silent), (1, CutKind::Closed), (0, CutKind::Paused), (1, CutKind::Silent)]
    };
    let (problems, runs, figures) = with_traffic(traffic, &servers, REST, |traffic| {
        let mut problems = Vec::new();
        for (number, kind) in cuts {
            let _ = traffic.next_answer(Duration::from_mins(1));
            sleep(extent.fault);
            if traffic.is_done() {
                problems.push(format!("all runs were finished before the cut {kind:?}"));
            }
            problems.extend(cut(
                lab,
                *kind,
                &relays[*number],
                &instances[*number],
                addresses[1 - *number],
                traffic,
            ));
        }
        problems
    });
    for (number, instance) in instances.iter_mut().enumerate() {
        if !instance.is_running() {
            return Err(ChoreFailure::Failed(format!("server {number} ended: {}", instance.said())));
        }
    }
    let audit = StepAudit::from_stored(lab, &runs, addresses[0])?;
    let epochs = cluster.sql("service", "SELECT sum(epoch), count(*) FILTER (WHERE epoch > 1) FROM runs")?;
    let mut latency = figures.latency;
    let mut broken = figures.problems;
    broken.extend(problems);
    broken.extend(audit.broken.iter().cloned());
    Ok(vec![PromiseRow {
        tried: format!("two servers, {} runs under load; {} times one is cut off from the database for {} s: silently, closed, or \
             paused", runs.len(), cuts.len(), extent.cut.as_secs()),
        promised: "one owner of each run: nothing lost or counted twice, the order kept, verdicts as without the fault".to_owned(),
        seen: format!(
            "{}; owners changed {} times; {} steps sent again, {} times status 503, {} requests without an answer; {}",
            audit.describe(),
            epochs.split('|').next().unwrap_or_default(),
            figures.sent_again,
            figures.unavailable,
            figures.broken,
            latency.describe()
        ),
        broken,
    }])
}

/// Sends single steps of a run of its own to a server for a while, and returns the longest time without an answer. Traffic that waits for
/// the server that was cut off does not count.
fn longest_wait(lab: &FleetLab, server: SocketAddr, time: Duration) -> Duration {
    static PROBES: AtomicUsize = AtomicUsize::new(0);
    let number = PROBES.fetch_add(1, Ordering::Relaxed);
    let script = RunScript::new("probe", number, lab.seed, (100_000, 100_000));
    let mut connection = owner_connection(server, 2 * LONGEST_GAP);
    let (started, mut answered, mut longest, mut next) = (Instant::now(), Instant::now(), Duration::ZERO, 0);
    while started.elapsed() < time {
        if connection.post_steps(&script.step(next)).is_ok_and(|reply| reply.status == 200) {
            next += 1;
            longest = longest.max(answered.elapsed());
            answered = Instant::now();
        }
        sleep(PROBE_PAUSE);
    }
    longest.max(answered.elapsed())
}

/// Cuts a server off for a while. The other one has to answer meanwhile, and both afterwards.
fn cut(
    lab: &FleetLab,
    kind: CutKind,
    relay: &TcpRelay,
    instance: &ServedInstance,
    other: SocketAddr,
    traffic: &RunTraffic<'_>,
) -> Vec<String> {
    let set = |is_cut| match kind {
        CutKind::Silent => relay.hold(is_cut),
        CutKind::Closed => relay.cut(is_cut),
        CutKind::Paused => instance.pause(is_cut),
    };
    let is_brief = lab.extent.is_short && kind == CutKind::Paused;
    let time = if is_brief { BRIEF } else { lab.extent.cut };
    let before = traffic.acknowledged();
    set(true);
    let mut problems = Vec::new();
    if lab.is_talkative {
        eprintln!("xtask: fleet:   server cut off: {kind:?}, {before} steps so far");
    }
    let longest = longest_wait(lab, other, time);
    if longest > LONGEST_GAP {
        problems.push(format!(
            "the other server answered nothing for {} while one was cut off ({kind:?})",
            ShownMillis(longest)
        ));
    }
    set(false);
    if traffic.next_answer(TAKEN_OVER).is_none() && !traffic.is_done() {
        problems.push(format!("nothing was answered after the cut ({kind:?})"));
    }
    problems
}
