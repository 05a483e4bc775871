//! `kill -9` of a server under load, at any moment.

use std::thread::sleep;
use std::time::Duration;

use crate::chore_failure::ChoreFailure;
use crate::fleet::fleet_lab::FleetLab;
use crate::fleet::promise_row::PromiseRow;
use crate::fleet::run_traffic::{RunTraffic, ServerList, TrafficPlan, with_traffic};
use crate::fleet::served_instance::{InstancePlan, ServedInstance};
use crate::fleet::step_audit::StepAudit;
use crate::fleet::store_kind::StoreKind;
use crate::split_mix::SplitMix;

/// Longest time between the moment at which a server listens and its end, in milliseconds.
const LONGEST_LIFE: u32 = 900;
/// One in this number of servers is killed while it starts.
const KILLED_STARTING: u32 = 10;
/// Time that the clients have to send the rest: another server may take a run of one that was killed when its lease has ended.
const REST: Duration = Duration::from_mins(6);

pub(super) fn run(lab: &FleetLab) -> Result<Vec<PromiseRow>, ChoreFailure> {
    lab.stores.iter().map(|store| on_store(lab, *store)).collect()
}

fn on_store(lab: &FleetLab, store: StoreKind) -> Result<PromiseRow, ChoreFailure> {
    // More runs wait for the lease of a server that was killed than are sent.
    let (plan, _cluster) = lab.new_service(store)?;
    let mut instance = plan.start()?;
    let servers = ServerList::new(vec![instance.address()?]);
    let traffic = TrafficPlan {
        group: "killed".to_owned(),
        seed: lab.seed,
        active: if lab.extent.is_short { 20 } else { 60 },
        waiting: if lab.extent.is_short { 40 } else { 600 },
        runs: None,
        steps: (8, 150),
        batch: 5,
        workers: 20,
        pause: Duration::from_millis(8),
        patience: Duration::from_secs(20),
    };
    let (last, runs, figures) =
        with_traffic(traffic, &servers, REST, |traffic| kill_often(lab, &plan, instance, &servers, traffic));
    let (mut instance, starting) = last?;
    let audit = StepAudit::from_stored(lab, &runs, instance.address()?)?;
    let mut broken = figures.problems;
    broken.extend(audit.broken.iter().cloned());
    if figures.sent_again == 0 {
        broken.push("no step was sent again: the servers were not killed under load".to_owned());
    }
    Ok(PromiseRow {
        tried: format!("`kill -9` under load, {} times, {}", lab.extent.kills, store.title()),
        promised: "no acknowledged step lost or counted twice, verdicts as without the fault".to_owned(),
        seen: format!(
            "{} runs, {}; {} requests without an answer, {} steps sent again, {} times status 503, {starting} killed while they \
             started",
            runs.len(),
            audit.describe(),
            figures.broken,
            figures.sent_again,
            figures.unavailable
        ),
        broken,
    })
}

/// Kills the server and starts it again. Returns the last one, and how many were killed while they started.
fn kill_often(
    lab: &FleetLab,
    plan: &InstancePlan,
    mut instance: ServedInstance,
    servers: &ServerList,
    traffic: &RunTraffic<'_>,
) -> Result<(ServedInstance, usize), ChoreFailure> {
    let mut random = SplitMix(lab.seed);
    let (mut progress, mut starting) = (lab.progress(), 0);
    for number in 0..lab.extent.kills {
        sleep(Duration::from_millis(u64::from(random.below(LONGEST_LIFE))));
        if !instance.is_running() {
            return Err(ChoreFailure::Failed(format!("the server ended by itself: {}", instance.said())));
        }
        instance.kill();
        if random.below(KILLED_STARTING) == 0 {
            let early = plan.start()?;
            sleep(Duration::from_millis(u64::from(random.below(60))));
            early.kill();
            starting += 1;
        }
        instance = plan.start()?;
        servers.replace(0, instance.address()?);
        progress.tell(|| {
            format!("{} of {} kills, {} steps", number + 1, lab.extent.kills, traffic.acknowledged())
        });
    }
    // The last server has to do something too.
    let _ = traffic.next_answer(Duration::from_mins(1));
    Ok((instance, starting))
}
