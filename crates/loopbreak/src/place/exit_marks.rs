//! Marks of an exit: facts about it besides its name and its destination.

use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::memory::SnapshotSize;

/// Marks of an exit. A snapshot has thousands of exits, so both marks are one value: `true` if the exit was only tried, as in
/// snapshots of earlier versions, or else a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ExitMarks {
    /// True if it was tried, with any result. A locked door is not unexplored, and has no known destination.
    pub(super) tried: bool,
    /// True if a step told the destination. Then a move does not change it.
    pub(super) given: bool,
}

/// Values of the marks in a snapshot.
const TRIED: u64 = 1;
const GIVEN: u64 = 2;

impl ExitMarks {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(super) fn is_empty(&self) -> bool {
        *self == ExitMarks::default()
    }
}

impl Serialize for ExitMarks {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.given {
            serializer.serialize_u64(GIVEN + if self.tried { TRIED } else { 0 })
        } else {
            serializer.serialize_bool(self.tried)
        }
    }
}

impl<'de> Deserialize<'de> for ExitMarks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MarksVisitor;
        impl Visitor<'_> for MarksVisitor {
            type Value = ExitMarks;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, false or a number")
            }
            fn visit_bool<E: Error>(self, tried: bool) -> Result<ExitMarks, E> {
                Ok(ExitMarks { tried, given: false })
            }
            fn visit_u64<E: Error>(self, marks: u64) -> Result<ExitMarks, E> {
                Ok(ExitMarks { tried: marks & TRIED != 0, given: marks & GIVEN != 0 })
            }
        }
        deserializer.deserialize_any(MarksVisitor)
    }
}

impl SnapshotSize for ExitMarks {
    fn max_bytes(_: usize) -> usize {
        "false".len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read_back_and_those_of_earlier_versions_too() {
        for (json, tried, given) in
            [("false", false, false), ("true", true, false), ("2", false, true), ("3", true, true)]
        {
            let marks: ExitMarks = serde_json::from_str(json).unwrap();
            assert_eq!((marks.tried, marks.given), (tried, given));
            assert_eq!(serde_json::to_string(&marks).unwrap(), json);
        }
    }
}
