//! Attempts at tasks.

use serde::{Deserialize, Deserializer, Serialize};

use super::{Label, StepText};

/// One attempt at a task.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Task<'a> {
    /// Id of the task.
    #[serde(borrow)]
    pub id: Label<'a>,
    /// Status after the attempt: `pending`, `in_progress`, `blocked` or `done` (`completed` means `done`).
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub status: Option<StepText<'a>>,
    /// Blockers of the task.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<StepText<'a>>>"))]
    #[serde(borrow, default, skip_serializing_if = "Vec::is_empty", deserialize_with = "null_as_empty")]
    pub blockers: Vec<StepText<'a>>,
    /// Work done in the attempt.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<StepText<'a>>>"))]
    #[serde(borrow, default, skip_serializing_if = "Vec::is_empty", deserialize_with = "null_as_empty")]
    pub work: Vec<StepText<'a>>,
    /// Session of the attempt.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Label<'a>>,
}

/// Reads `null` as an empty list, because many logs write it that way.
pub(super) fn null_as_empty<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
