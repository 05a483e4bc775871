//! A guard put away and taken out again.

use serde::{Deserialize, Serialize};

use crate::guard::{Guard, State};
use crate::settings::Config;

/// The version of snapshots that this crate writes. It reads all up to this one.
pub const SNAPSHOT_VERSION: u32 = 1;

/// The largest a snapshot gets as JSON, in bytes.
pub const SNAPSHOT_BYTES: usize = 64 * 1024;

/// Everything a guard remembers, without its settings. Write it as JSON or any other self-describing format.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Snapshot {
    version: u32,
    state: State,
}

/// A snapshot that cannot be taken out again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// It was written by a later version of Loopbreak.
    #[error("the snapshot is of version {found}, this Loopbreak reads up to {SNAPSHOT_VERSION}: update it")]
    TooNew {
        /// The version of the snapshot.
        found: u32,
    },
}

impl Guard {
    /// What the guard remembers, to be put away.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { version: SNAPSHOT_VERSION, state: self.state().clone() }
    }

    /// The same of a guard that is not needed any more, without a copy.
    pub fn into_snapshot(self) -> Snapshot {
        Snapshot { version: SNAPSHOT_VERSION, state: self.into_state() }
    }

    /// A guard that goes on where the snapshot was taken.
    pub fn restore(config: Config, snapshot: Snapshot) -> Result<Self, SnapshotError> {
        if snapshot.version > SNAPSHOT_VERSION {
            return Err(SnapshotError::TooNew { found: snapshot.version });
        }
        Ok(Guard::from_parts(config, snapshot.state))
    }
}
