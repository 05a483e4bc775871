//! Logs that are still being written: [`probe`] detects the format of a growing file, [`LogFollower`] reads
//! the content that is appended to it.

mod log_follower;
mod probe_result;

pub use log_follower::LogFollower;
pub use probe_result::{FileShape, NotFollowed, PROBE_BYTES, ProbeResult, is_complete_document, probe};
