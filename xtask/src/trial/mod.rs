//! Trials of a real program in homes of their own. The chores `faults` and `attack` share them.
//!
//! - `trial_home`: the folder of a trial with its store
//! - `tried_program`: the program that is tried
//! - `machine_stall`: the time that the machine took for other work
//! - `process_group`: ends a process with everything it started
//! - `store_lock`: another program that keeps a store locked
//! - `mounted_disk`: a small file system in memory
//! - `clock_shim`: a clock that is wrong
//! - `page_table`: the table of a chore in a page

mod clock_shim;
mod machine_stall;
mod mounted_disk;
mod page_table;
mod process_group;
mod store_lock;
mod trial_home;
mod tried_program;

pub(crate) use clock_shim::{CLOCK_OFFSET, compile_clock_shim};
pub(crate) use machine_stall::MachineStall;
pub(crate) use mounted_disk::MountedDisk;
pub(crate) use page_table::PageTable;
pub(crate) use process_group::kill_group;
pub(crate) use store_lock::StoreLock;
pub(crate) use trial_home::TrialHome;
pub(crate) use tried_program::tried_program;
