//! Finds out from the content which format a log has.

mod json_outline;
mod sniff_result;

pub(crate) use json_outline::{JsonOutline, OutlineEnd};
pub use sniff_result::{LogLayout, SniffResult, sniff};
