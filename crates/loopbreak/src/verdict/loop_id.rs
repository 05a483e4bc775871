//! The identity of a loop.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Identifies a loop: identical for all its findings and for all its rotations. Written as 12 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LoopId(pub u64);

/// A text that is not the id of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid loop id: use 12 to 16 hexadecimal digits")]
pub struct InvalidLoopId;

impl fmt::Display for LoopId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:012x}", self.0)
    }
}

impl FromStr for LoopId {
    type Err = InvalidLoopId;

    fn from_str(text: &str) -> Result<Self, InvalidLoopId> {
        let valid = (12..=16).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let id = u64::from_str_radix(text, 16).ok().filter(|_| valid);
        id.map(LoopId).ok_or(InvalidLoopId)
    }
}

impl Serialize for LoopId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for LoopId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_back_from_its_text() {
        for id in [0, 0x8762_edc8_fd27, u64::MAX] {
            assert_eq!(LoopId(id).to_string().parse(), Ok(LoopId(id)));
        }
        for text in ["", "8762edc8fd2", "8762edc8fd2x", "+762edc8fd27", "10000000000000000f"] {
            assert_eq!(text.parse::<LoopId>(), Err(InvalidLoopId), "{text:?}");
        }
    }
}
