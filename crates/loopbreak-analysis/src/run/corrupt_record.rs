//! The error for bytes that are not a record.

use std::fmt;

/// An error for bytes that are not those of a stored run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CorruptRecord;

impl fmt::Display for CorruptRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the stored record of a run is damaged")
    }
}

impl std::error::Error for CorruptRecord {}
