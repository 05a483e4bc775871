//! Prices of a model.

use serde::{Deserialize, Serialize};

use super::SettingsChecks;

/// The prices of a model, in US dollars per million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ModelPrice {
    /// Tokens that the model reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub input: Option<f64>,
    /// Tokens that the model writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub output: Option<f64>,
    /// Tokens that the model reads from a cache. Without it, the price of `input`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub cache_read: Option<f64>,
    /// Tokens that are read and stored in a cache. Without it, the price of `input`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub cache_write: Option<f64>,
}

impl ModelPrice {
    pub(super) fn check(&self, checks: &mut SettingsChecks) {
        let keys = [
            ("input", self.input),
            ("output", self.output),
            ("cache_read", self.cache_read),
            ("cache_write", self.cache_write),
        ];
        for (key, price) in keys {
            checks.that(price.is_none_or(|price| price.is_finite() && price >= 0.0), key, || {
                (
                    format!("{} is not a price", price.unwrap_or_default()),
                    "give US dollars per million tokens, such as 2.5".into(),
                )
            });
        }
    }
}
