//! Snapshots: the state of a guard, to be stored and restored.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::detectors::custom::{CustomSlots, CustomState};
use crate::guard::{Guard, GuardState};
use crate::settings::Config;

/// The version of the snapshots that this crate writes. It reads this one and all earlier ones.
pub const SNAPSHOT_VERSION: u32 = 1;

/// Maximum size of a snapshot as JSON, in bytes.
pub const SNAPSHOT_BYTES: usize = 64 * 1024;

/// Maximum size of the state inside a snapshot.
pub(crate) const STATE_BYTES: usize = SNAPSHOT_BYTES - r#"{"version":4294967295,"state":}"#.len();

/// The state of a guard, without its settings. Write it as JSON or in another self-describing format.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Snapshot {
    version: u32,
    state: GuardState,
    /// The states of the user's detectors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    custom: Vec<CustomState>,
}

impl Snapshot {
    /// Returns the snapshot as JSON, the same text that serializing it gives. Programs build faster with this function
    /// than with a serializer of their own, because the code for all types of the state is compiled once, in this crate.
    pub fn to_json(&self) -> serde_json::Result<Box<RawValue>> {
        serde_json::value::to_raw_value(self)
    }

    /// Reads a snapshot from JSON.
    pub fn from_json(json: &[u8]) -> serde_json::Result<Self> {
        serde_json::from_slice(json)
    }
}

/// A snapshot that cannot be restored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// It was written by a later version of Loopbreak.
    #[error(
        "the snapshot has version {found}, but this Loopbreak reads versions up to {SNAPSHOT_VERSION}: update Loopbreak"
    )]
    TooNew {
        /// The version of the snapshot.
        found: u32,
    },
}

impl Guard {
    /// Returns the state of the guard, to be stored.
    pub fn snapshot(&self) -> Snapshot {
        let custom = self.custom().states();
        Snapshot { version: SNAPSHOT_VERSION, state: self.state().clone(), custom }
    }

    /// Converts the guard into its snapshot, without a copy.
    pub fn into_snapshot(self) -> Snapshot {
        let (state, custom) = self.into_parts();
        Snapshot { version: SNAPSHOT_VERSION, state, custom: custom.states() }
    }

    /// Creates a guard that continues where the snapshot was taken.
    ///
    /// # Errors
    ///
    /// Returns an error if a later version of Loopbreak wrote the snapshot.
    pub fn restore(config: Config, snapshot: Snapshot) -> Result<Self, SnapshotError> {
        if snapshot.version > SNAPSHOT_VERSION {
            return Err(SnapshotError::TooNew { found: snapshot.version });
        }
        Ok(Guard::from_parts(config, snapshot.state, CustomSlots::from(snapshot.custom)))
    }
}
