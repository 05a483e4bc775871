//! Logs that are still being written: [`probe`] finds out what a growing file is, [`LogFollower`] reads what is
//! appended to it.

mod log_follower;
mod probe_result;

pub use log_follower::LogFollower;
pub use probe_result::{FileShape, NotFollowed, PROBE_BYTES, ProbeResult, is_complete_document, probe};
