//! A database that is restarted, out of reach, slow or full, and a slow disk.

use std::net::SocketAddr;
use std::thread::sleep;
use std::time::Duration;

use super::full_disks;
use crate::chore_failure::ChoreFailure;
use crate::fleet::database_cluster::{DatabaseCluster, StopMode};
use crate::fleet::fleet_lab::FleetLab;
use crate::fleet::latency_figures::ShownMillis;
use crate::fleet::promise_row::PromiseRow;
use crate::fleet::run_traffic::{RunTraffic, ServerList, TrafficPlan, with_traffic};
use crate::fleet::served_instance::InstancePlan;
use crate::fleet::step_audit::StepAudit;
use crate::fleet::store_kind::StoreKind;
use crate::fleet::tcp_relay::TcpRelay;

/// Time in which steps have to be acknowledged again after a fault. Clients wait for what `Retry-After` says.
const RECOVERY: Duration = Duration::from_secs(15);
/// Time that the clients have to send the rest.
const REST: Duration = Duration::from_mins(2);
/// Delay of each piece between a server and its slow database.
const SLOW: Duration = Duration::from_millis(40);
/// Delay of each forced write on a slow disk, in microseconds.
const SLOW_DISK: u32 = 150_000;

/// A fault of the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DatabaseFault {
    RestartedFast,
    RestartedImmediately,
    Broken,
    Terminated,
    Slow,
    Silent,
}

impl DatabaseFault {
    const ALL: [DatabaseFault; 6] = [
        DatabaseFault::RestartedFast,
        DatabaseFault::RestartedImmediately,
        DatabaseFault::Broken,
        DatabaseFault::Terminated,
        DatabaseFault::Slow,
        DatabaseFault::Silent,
    ];

    fn title(self) -> &'static str {
        match self {
            DatabaseFault::RestartedFast => "PostgreSQL stopped and started (fast)",
            DatabaseFault::RestartedImmediately => "PostgreSQL stopped and started (immediate)",
            DatabaseFault::Broken => "connections to PostgreSQL broken, and refused for a while",
            DatabaseFault::Terminated => "sessions of PostgreSQL terminated, every 0.3 s",
            DatabaseFault::Slow => "PostgreSQL 40 ms slower for each piece of data",
            DatabaseFault::Silent => "PostgreSQL does not answer, and its connections stay open",
        }
    }

    /// Causes the fault for a while.
    fn cause(
        self,
        cluster: &mut DatabaseCluster,
        relay: &TcpRelay,
        time: Duration,
    ) -> Result<(), ChoreFailure> {
        match self {
            DatabaseFault::RestartedFast | DatabaseFault::RestartedImmediately => {
                let is_fast = self == DatabaseFault::RestartedFast;
                cluster.stop(if is_fast { StopMode::Fast } else { StopMode::Immediate });
                sleep(time);
                cluster.start()?;
            }
            DatabaseFault::Broken => {
                relay.cut(true);
                sleep(time);
                relay.cut(false);
            }
            DatabaseFault::Terminated => {
                for _ in 0..time.as_millis() / 300 {
                    let sql =
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'fleet'";
                    cluster.sql("postgres", sql)?;
                    sleep(Duration::from_millis(300));
                }
            }
            DatabaseFault::Slow => {
                relay.delay(SLOW);
                sleep(time);
                relay.delay(Duration::ZERO);
            }
            DatabaseFault::Silent => {
                relay.hold(true);
                // Long enough that the server gives up.
                sleep(3 * time);
                relay.hold(false);
            }
        }
        Ok(())
    }
}

pub(super) fn run(lab: &FleetLab) -> Result<Vec<PromiseRow>, ChoreFailure> {
    let mut rows = Vec::new();
    if lab.stores.contains(&StoreKind::Postgres) {
        let faults = if lab.extent.is_short { &DatabaseFault::ALL[1..3] } else { &DatabaseFault::ALL[..] };
        for fault in faults {
            rows.push(with_database_fault(lab, *fault)?);
        }
        rows.extend(full_disks::postgres(lab)?);
    }
    if lab.stores.contains(&StoreKind::Sqlite) {
        rows.extend(full_disks::sqlite(lab)?);
        if !lab.extent.is_short {
            rows.push(slow_disk(lab)?);
        }
    }
    Ok(rows)
}

fn with_database_fault(lab: &FleetLab, fault: DatabaseFault) -> Result<PromiseRow, ChoreFailure> {
    let mut cluster = lab.new_cluster()?;
    cluster.create_database("service")?;
    let relay = TcpRelay::start(&cluster.socket())?;
    let store = DatabaseCluster::url_by(relay.address, "service");
    let mut instance = InstancePlan::new(lab.program(), lab.new_folder("home"), store).start()?;
    let address = instance.address()?;
    let time = lab.extent.fault;
    let row = faulted(lab, address, fault.title(), || fault.cause(&mut cluster, &relay, time))?;
    if instance.is_running() {
        Ok(row)
    } else {
        Err(ChoreFailure::Failed(format!("{}: the server ended: {}", fault.title(), instance.said())))
    }
}

/// Sends steps before, during and after a fault, and checks what is stored then.
pub(super) fn faulted(
    lab: &FleetLab,
    address: SocketAddr,
    title: &str,
    fault: impl FnOnce() -> Result<(), ChoreFailure>,
) -> Result<PromiseRow, ChoreFailure> {
    let plan = TrafficPlan {
        group: "faulted".to_owned(),
        seed: lab.seed,
        active: if lab.extent.is_short { 20 } else { 80 },
        waiting: if lab.extent.is_short { 40 } else { 160 },
        runs: None,
        steps: (10, 90),
        batch: 3,
        workers: 16,
        pause: Duration::from_millis(20),
        patience: Duration::from_mins(1),
    };
    let servers = ServerList::new(vec![address]);
    let (done, runs, mut figures) = with_traffic(plan, &servers, REST, |traffic: &RunTraffic<'_>| {
        sleep(lab.extent.fault.min(Duration::from_secs(3)));
        let before = traffic.acknowledged();
        let caused = fault();
        let during = traffic.acknowledged() - before;
        let again = traffic.next_answer(RECOVERY);
        sleep(Duration::from_secs(1));
        caused.map(|()| (before, during, again))
    });
    let (before, during, again) = done?;
    let audit = StepAudit::from_stored(lab, &runs, address)?;
    let mut broken = figures.problems;
    broken.extend(audit.broken.iter().cloned());
    if before == 0 {
        broken.push("nothing was acknowledged before the fault".to_owned());
    }
    if again.is_none() {
        broken.push(format!("nothing was acknowledged within {} s after the fault", RECOVERY.as_secs()));
    }
    Ok(PromiseRow {
        tried: title.to_owned(),
        promised:
            "requests wait or get 503 with `Retry-After`, and go on afterwards; nothing acknowledged is lost"
                .to_owned(),
        seen: format!(
            "{}; {during} steps acknowledged during the fault, {} times 503, longest wait {}, goes on after {}",
            audit.describe(),
            figures.unavailable,
            ShownMillis(figures.latency.quantile(1.0)),
            ShownMillis(again.unwrap_or(RECOVERY))
        ),
        broken,
    })
}

/// A disk on which each forced write takes long.
fn slow_disk(lab: &FleetLab) -> Result<PromiseRow, ChoreFailure> {
    let mut plan = lab.sqlite_plan(lab.new_folder("slow"));
    let trace = format!("inject=fsync,fdatasync:delay_enter={SLOW_DISK}");
    // The server is the process that was started, and the tracer another one.
    plan.wrapper =
        ["strace", "-D", "-f", "-qqq", "-e", "trace=fsync,fdatasync", "-e", &trace, "-o", "/dev/null"]
            .map(str::to_owned)
            .into();
    let mut instance = plan.start()?;
    let address = instance.address()?;
    faulted(lab, address, "SQLite on a disk that takes 150 ms more for each forced write", || {
        sleep(lab.extent.fault);
        Ok(())
    })
}
