//! Cost of a step, and the critic's assessment of it.

use serde::{Deserialize, Serialize};

/// Cost of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Usage {
    /// Number of tokens read by the model, from and to a cache included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Number of tokens written by the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Input tokens read from a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read_tokens: Option<u64>,
    /// Input tokens written to a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_tokens: Option<u64>,
    /// Part of them that the cache keeps for an hour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_1h_tokens: Option<u64>,
    /// Cost in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

impl Usage {
    /// Adds the usage of another model call. What neither of them knows stays unknown.
    #[must_use]
    pub fn plus(self, more: Usage) -> Usage {
        let sum = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (one, other) => one.or(other),
        };
        Usage {
            input_tokens: sum(self.input_tokens, more.input_tokens),
            output_tokens: sum(self.output_tokens, more.output_tokens),
            cache_read_tokens: sum(self.cache_read_tokens, more.cache_read_tokens),
            cache_write_tokens: sum(self.cache_write_tokens, more.cache_write_tokens),
            cache_write_1h_tokens: sum(self.cache_write_1h_tokens, more.cache_write_1h_tokens),
            cost_usd: match (self.cost_usd, more.cost_usd) {
                (Some(one), Some(other)) => Some(one + other),
                (one, other) => one.or(other),
            },
        }
    }
}

/// A critic's assessment of the action, from before it was carried out.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Critic {
    /// Score from 0 (bad) to 1 (good).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}
