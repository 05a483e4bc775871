//! Results of logs that were analyzed before.
//!
//! [`LogCache`] is a folder with a few files. Each is written once, by one analysis, and never changed but for the time of
//! the last use of its entries: so processes need no lock, and a file is whole or absent. [`CacheSegment`] reads one,
//! [`SegmentWriter`] writes one, `merge_segments` makes one of several and drops what was not used for long.
//!
//! An entry is found by a [`LogIdentity`], which changes with the files of a log, and by a [`ResultKey`], which changes with
//! everything else that decides the result. An entry that does not fit its checksum is ignored.

mod cache_segment;
mod log_cache;
mod log_identity;
mod merge_segments;
mod result_key;
mod segment_index;
mod segment_writer;
#[cfg(test)]
mod tests;

pub(crate) use log_cache::{CachePart, CacheTicket};
pub use log_cache::{CacheSummary, LogCache};
use log_identity::LogIdentity;
pub(crate) use result_key::ResultKey;
use segment_writer::SegmentWriter;
