//! Bounded memory: every collection of a guard is one of these, so that its size does not depend on the length of the
//! run.

mod key;
mod lru;
mod ring;

pub(crate) use key::{HashKey, KEY_BYTES, key_of, key_of_lower, key_of_parts};
pub(crate) use lru::LruMap;
pub(crate) use ring::RingBuffer;
