//! Logs that are still being written.

mod log_follower;
mod probe_result;

pub use log_follower::LogFollower;
pub use probe_result::{FileShape, NotFollowed, PROBE_BYTES, ProbeResult, is_complete_document, probe};
