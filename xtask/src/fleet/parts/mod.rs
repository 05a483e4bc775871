//! The kinds of load and faults.

mod cut_instances;
mod database_faults;
mod fleet_part;
mod full_disks;
mod killed_instances;
mod overload;
mod raw_inserts;
mod soak;
mod steady_steps;
mod step_batches;

pub(super) use fleet_part::{FleetPart, PARTS};
