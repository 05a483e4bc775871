//! Numbers that reports are computed with.

use serde::{Deserialize, Serialize};

/// Numbers that reports are computed with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ReportSettings {
    /// Number of model calls per step. A game agent makes 4: agent, critic, extractor, synthesis. 0 takes the number from
    /// the format of the log: 4 for ZorkGPT, 1 for the others.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1000)))]
    pub calls_per_step: u32,
}
