//! The kinds of faults.

mod call_errors;
mod clock_jumps;
mod fault_part;
mod full_disk;
mod kill_points;
mod logic_damage;
mod many_hooks;
mod random_damage;
mod random_kills;
mod waiting_store;

pub(super) use fault_part::{FaultPart, PARTS};
