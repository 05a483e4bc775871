//! Many runs over a long time: the memory of the server has to stay bounded.

use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::chore_failure::ChoreFailure;
use crate::fleet::fleet_lab::FleetLab;
use crate::fleet::promise_row::PromiseRow;
use crate::fleet::run_traffic::{ServerList, TrafficPlan, with_traffic};
use crate::fleet::served_instance::owner_connection;
use crate::fleet::store_kind::StoreKind;

/// Number of guards that the server may have in memory.
const GUARDS: usize = 1024;
/// Memory that a guard may take beside its run, in megabytes.
const GUARD_MEMORY: f64 = 0.2;
/// Memory of the server without guards, in megabytes.
const OWN_MEMORY: f64 = 250.0;
/// Most that the memory may grow in the second half, as a share.
const GROWTH: f64 = 1.25;
/// Number of looks at the memory.
const LOOKS: u32 = 60;
/// Time that the clients have to send the rest.
const REST: Duration = Duration::from_mins(1);

pub(super) fn run(lab: &FleetLab) -> Result<Vec<PromiseRow>, ChoreFailure> {
    lab.stores.iter().map(|store| on_store(lab, *store)).collect()
}

fn on_store(lab: &FleetLab, store: StoreKind) -> Result<PromiseRow, ChoreFailure> {
    let (plan, _cluster) = lab.new_service(store)?;
    let plan = plan.with_option("--max-guards", GUARDS);
    let mut instance = plan.start()?;
    let address = instance.address()?;
    let (time, runs) = (lab.extent.soak, lab.extent.soak_runs);
    // The runs are spread over the time: a worker makes a request of three steps, then waits.
    let workers = 24;
    let requests = runs * 2;
    let pause = time.mul_f64(0.9 * workers as f64 / requests as f64);
    let traffic = TrafficPlan {
        group: "soak".to_owned(),
        seed: lab.seed,
        // More than there are guards, so that all are put away and restored again and again.
        active: (2 * GUARDS).min(runs),
        waiting: 2 * GUARDS,
        runs: Some(runs),
        steps: (4, 6),
        batch: 3,
        workers,
        pause,
        patience: Duration::from_secs(30),
    };
    let servers = ServerList::new(vec![address]);
    let (memory, sent, figures) = with_traffic(traffic, &servers, REST, |traffic| {
        let (started, mut memory, mut progress) = (Instant::now(), Vec::new(), lab.progress());
        while (started.elapsed() < time || !traffic.is_done()) && started.elapsed() < 2 * time {
            sleep((time / LOOKS).min(Duration::from_secs(5)));
            memory.push(instance.memory());
            progress.tell(|| {
                let seconds = started.elapsed().as_secs();
                format!("{seconds} s, {} steps, {:.0} MB", traffic.acknowledged(), instance.memory())
            });
        }
        memory
    });
    let live = live_guards(address)?;
    let mut broken = figures.problems;
    let largest = |part: &[f64]| part.iter().copied().fold(0.0, f64::max);
    let (first, second) = memory.split_at(memory.len() / 2);
    let bound = OWN_MEMORY + GUARD_MEMORY * GUARDS as f64;
    if largest(&memory) > bound {
        broken.push(format!("{:.0} MB, more than {bound:.0} MB", largest(&memory)));
    }
    if largest(second) > GROWTH * largest(first) {
        broken.push(format!(
            "{:.0} MB in the first half, {:.0} MB in the second",
            largest(first),
            largest(second)
        ));
    }
    if sent.len() < runs {
        broken.push(format!("only {} of {runs} runs", sent.len()));
    }
    if live > GUARDS as u64 + 200 {
        broken.push(format!("{live} guards in memory, more than {GUARDS}"));
    }
    let course: Vec<String> =
        memory.iter().step_by((memory.len() / 8).max(1)).map(|memory| format!("{memory:.0}")).collect();
    let mut latency = figures.latency;
    Ok(PromiseRow {
        tried: format!(
            "{runs} runs in {} s, at most {GUARDS} guards in memory, {}",
            time.as_secs(),
            store.title()
        ),
        promised: format!("memory below {bound:.0} MB, and not growing"),
        seen: format!(
            "{} steps of {} runs; memory {} MB, at most {:.0} MB; {live} guards in memory at the end; {}",
            figures.acknowledged,
            sent.len(),
            course.join(", "),
            largest(&memory),
            latency.describe()
        ),
        broken,
    })
}

/// Returns the number of guards that a server has in memory.
fn live_guards(address: std::net::SocketAddr) -> Result<u64, ChoreFailure> {
    let mut connection = owner_connection(address, Duration::from_secs(30));
    let reply = connection.send("GET", "/metrics", "");
    let reply = reply.map_err(|error| ChoreFailure::io("read the metrics", &error))?;
    let line = reply.body.lines().find_map(|line| line.strip_prefix("loopbreak_guards "));
    let number = line.and_then(|number| serde_json::from_str::<Value>(number).ok()?.as_f64());
    number.map(|number| number as u64).ok_or_else(|| {
        ChoreFailure::Failed(format!("the metrics do not have the number of guards: {}", reply.body))
    })
}
