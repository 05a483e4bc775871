//! Keys: short, stable hashes that are stored instead of texts.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::text::scan::{between, position, trimmed};

/// 48 bits of a hash. Wide enough that the few thousand texts a guard remembers do not collide, and short enough (15
/// digits) that snapshots stay small. Stable across versions and machines, because snapshots contain it.
///
/// A number that is part of another key is wrapped as it is: `key_of_parts(&[call, HashKey(7)])`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct HashKey(pub(crate) u64);

impl HashKey {
    /// Stands for a text, a place or a set that is empty or unknown.
    pub(crate) const NONE: HashKey = HashKey(0);
    /// The largest key.
    pub(crate) const MAX: HashKey = HashKey(BITS);
}

const BITS: u64 = (1 << 48) - 1;

/// Returns the key of a text.
pub(crate) fn key_of(text: &str) -> HashKey {
    HashKey(xxh3_64(text.as_bytes()) & BITS)
}

/// Longest name, in bytes, that is converted to lower case without an allocation.
const SHORT_NAME: usize = 64;

/// Returns the key of a text, trimmed and in lower case. Most texts are in that form already and are not copied.
pub(crate) fn key_of_lower(text: &str) -> HashKey {
    let text = trimmed(text);
    if !text.is_ascii() {
        key_of(&text.to_lowercase())
    } else if position(text.as_bytes(), |group| between(group, b'A', b'Z')).is_some() {
        if let Some(lower) = [0; SHORT_NAME].get_mut(..text.len()) {
            lower.copy_from_slice(text.as_bytes());
            lower.make_ascii_lowercase();
            return HashKey(xxh3_64(lower) & BITS);
        }
        key_of(&text.to_ascii_lowercase())
    } else {
        key_of(text)
    }
}

/// Returns the key of several keys in this order.
pub(crate) fn key_of_parts(parts: &[HashKey]) -> HashKey {
    let mix = |hash: u64, part: &HashKey| (hash ^ part.0).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(29);
    HashKey(parts.iter().fold(0x9e37_79b9_7f4a_7c15, mix) & BITS)
}
