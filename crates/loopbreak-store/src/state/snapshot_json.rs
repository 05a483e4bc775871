//! The JSON of a guard's snapshot inside a record, written and read by the engine.
//!
//! A snapshot has more types than all other records together. The engine already contains the code that reads and writes
//! them; serializing the snapshot here would compile all of it again. Use it with `#[serde(with = "snapshot_json")]`.

use loopbreak::Snapshot;
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// Writes a snapshot, or `null`.
#[expect(clippy::ref_option, reason = "serde asks for it")]
pub(super) fn serialize<S: Serializer>(
    snapshot: &Option<Snapshot>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let Some(snapshot) = snapshot else { return serializer.serialize_none() };
    snapshot.to_json().map_err(S::Error::custom)?.serialize(serializer)
}

/// Reads a snapshot, or `null`.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Snapshot>, D::Error> {
    let Some(json) = Option::<&RawValue>::deserialize(deserializer)? else { return Ok(None) };
    Snapshot::from_json(json.get().as_bytes()).map(Some).map_err(D::Error::custom)
}
