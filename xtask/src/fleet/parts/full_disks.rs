//! A full disk: a file system in memory with a file that takes all the room that is left.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::thread::sleep;

use super::database_faults::faulted;
use crate::chore_failure::ChoreFailure;
use crate::fleet::database_cluster::{DatabaseCluster, StopMode};
use crate::fleet::fleet_lab::FleetLab;
use crate::fleet::promise_row::PromiseRow;
use crate::fleet::served_instance::InstancePlan;
use crate::trial::MountedDisk;

/// Fills all the room that is left on a file system.
fn fill(disk: &Path) -> Result<(), ChoreFailure> {
    let failed = |error: std::io::Error| ChoreFailure::io("fill a file system", &error);
    let mut file = File::create(disk.join("ballast")).map_err(failed)?;
    for size in [1 << 20, 4096] {
        let piece = vec![1; size];
        while file.write_all(&piece).is_ok() {}
    }
    Ok(())
}

fn make_room(disk: &Path) -> Result<(), ChoreFailure> {
    fs::remove_file(disk.join("ballast"))
        .map_err(|error| ChoreFailure::io("make room on a file system", &error))
}

/// The store in a file on a full disk.
pub(super) fn sqlite(lab: &FleetLab) -> Result<Option<PromiseRow>, ChoreFailure> {
    let folder = lab.new_folder("disk");
    let Some(disk) = MountedDisk::mount(&folder, "300m") else { return Ok(not_mounted()) };
    let plan = lab.sqlite_plan(disk.path().join("home"));
    let mut instance = plan.start()?;
    let address = instance.address()?;
    let row = faulted(lab, address, "SQLite on a full disk", || {
        fill(disk.path())?;
        sleep(lab.extent.fault);
        make_room(disk.path())
    })?;
    Ok(Some(expecting_refusals(row)))
}

/// The database on a full disk. If it can no longer write its log, it ends, and has to be started again.
pub(super) fn postgres(lab: &FleetLab) -> Result<Option<PromiseRow>, ChoreFailure> {
    let folder = lab.new_folder("disk");
    let Some(disk) = MountedDisk::mount(&folder, "700m") else { return Ok(not_mounted()) };
    let mut cluster = DatabaseCluster::create(&disk.path().join("pg"))?;
    cluster.create_database("service")?;
    let plan = InstancePlan::new(lab.program(), lab.new_folder("home"), cluster.url("service"));
    let mut instance = plan.start()?;
    let address = instance.address()?;
    let row = faulted(lab, address, "PostgreSQL on a full disk", || {
        fill(disk.path())?;
        sleep(lab.extent.fault);
        // The room that its log was given in advance lasts for a while: without a new file of it, nothing can be written.
        let _ = cluster.sql("postgres", "SELECT pg_switch_wal()");
        sleep(lab.extent.fault);
        make_room(disk.path())?;
        sleep(lab.extent.fault / 4);
        if !cluster.is_running() || cluster.sql("postgres", "SELECT 1").is_err() {
            cluster.stop(StopMode::Immediate);
            cluster.start()?;
        }
        Ok(())
    })?;
    drop(instance);
    drop(cluster);
    Ok(Some(expecting_refusals(row)))
}

/// A full disk on which nothing was refused was not full.
fn expecting_refusals(mut row: PromiseRow) -> PromiseRow {
    if row.seen.contains(" 0 times 503") {
        row.broken.push("nothing was refused: the disk was not full".to_owned());
    }
    row
}

/// Without the right to mount a file system, a full disk is not tried.
fn not_mounted() -> Option<PromiseRow> {
    eprintln!("xtask: fleet:   a full disk is not tried: no file system can be mounted here");
    None
}
