//! Bounded memory: the state of a guard consists of these types, so that its size does not depend on the length of
//! the run.
//!
//! Every type carries its bound: a collection the number of its elements, a text its length. The size of a
//! snapshot follows from the types by [`SnapshotSize`], which [`snapshot_type!`] and [`snapshot_row!`] derive.

mod bounded_list;
mod clipped_text;
mod hash_key;
mod lru_map;
mod ring_buffer;
mod snapshot_size;
mod snapshot_type;
mod wide_number;

pub(crate) use bounded_list::BoundedList;
pub(crate) use clipped_text::{ClippedText, MeasuredText};
pub(crate) use hash_key::{HashKey, key_of, key_of_lower, key_of_parts};
pub(crate) use lru_map::LruMap;
pub(crate) use ring_buffer::RingBuffer;
pub(crate) use snapshot_size::{SnapshotSize, longest_name};
pub(crate) use snapshot_type::{snapshot_row, snapshot_type};
pub(crate) use wide_number::WideNumber;
