//! Scope of the detectors that read outputs.

use serde::{Deserialize, Serialize};

/// Steps that the detectors of outputs read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OutputScope {
    /// Only steps without an action: the outputs of whole iterations.
    #[default]
    Iterations,
    /// Every step. Tool replies repeat in healthy runs, so this causes false alarms.
    All,
}
