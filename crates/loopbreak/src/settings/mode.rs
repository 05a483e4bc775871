//! Modes of the guard and of detectors.

use serde::{Deserialize, Serialize};

/// `enforce` acts on findings, `observe` only reports them, `off` disables the detector or the guard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Findings are reported and acted on.
    #[default]
    Enforce,
    /// Findings are reported with `acted: false` and never acted on.
    Observe,
    /// Nothing is computed.
    Off,
}
