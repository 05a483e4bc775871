//! Bounded memory: every collection a guard keeps is one of these, so that no run, however long, makes it grow.

mod key;
mod lru;
mod ring;

pub(crate) use key::{KEY_BYTES, Key, key_of, key_of_lower, key_of_parts};
pub(crate) use lru::Lru;
pub(crate) use ring::Ring;
