//! One model of `LiteLLM`'s list of prices.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::Value;

/// Modes whose models answer with text.
const MODES: [&str; 3] = ["chat", "completion", "responses"];
/// Limits of input tokens above which a model has other prices, the highest first.
const LIMITS: [u64; 7] = [512, 272, 256, 200, 128, 100, 32];
/// A higher price per token is a mistake in the list: a thousand dollars per million tokens.
const HIGHEST_RATE: f64 = 1e-3;
/// Number of such limits that a row of the table has.
const LIMITS_IN_A_ROW: usize = 2;

/// A model of the list. Prices are in US dollars per token.
#[derive(Deserialize)]
pub(super) struct ListedPrice {
    mode: Option<String>,
    #[serde(rename = "litellm_provider", default)]
    pub(super) provider: String,
    #[serde(flatten)]
    other: BTreeMap<String, Value>,
}

impl ListedPrice {
    /// Returns the columns of the table after the name, or `None` if the model does not answer with text or has no price. What
    /// costs nothing is somebody's own machine or a subscription, so its price is unknown here.
    pub(super) fn columns(&self) -> Option<String> {
        if !self.mode.as_deref().is_some_and(|mode| MODES.contains(&mode)) {
            return None;
        }
        let has_cost = |key: &str| self.rate(key).is_some_and(|rate| rate > 0.0);
        if self.rate("input_cost_per_token").is_none() || !has_cost("output_cost_per_token") {
            return None;
        }
        let is_mistake = |rate: f64| rate > HIGHEST_RATE;
        if ["input_cost_per_token", "output_cost_per_token"]
            .iter()
            .any(|key| self.rate(key).is_some_and(is_mistake))
        {
            return None;
        }
        let mut columns = self.rates("").join("\t");
        columns.push('\t');
        let mut long = LIMITS.iter().filter_map(|limit| {
            let rates = self.rates(&format!("_above_{limit}k_tokens"));
            (rates[0] != "-" && rates[1] != "-").then(|| format!("{}000:{}", limit, rates.join(":")))
        });
        for (index, tier) in long.by_ref().take(LIMITS_IN_A_ROW).enumerate() {
            let blank = if index > 0 { " " } else { "" };
            _ = write!(columns, "{blank}{tier}");
        }
        // A row that left out a limit would be wrong.
        long.next().is_none().then_some(columns)
    }

    /// Returns the prices of calls whose key has this ending, in US dollars per million tokens.
    fn rates(&self, ending: &str) -> [String; 5] {
        let hour = "cache_creation_input_token_cost_above_1hr";
        let keys = [
            "input_cost_per_token",
            "output_cost_per_token",
            "cache_read_input_token_cost",
            "cache_creation_input_token_cost",
            hour,
        ];
        keys.map(|key| self.rate(&format!("{key}{ending}")).map_or("-".to_owned(), per_million))
    }

    /// Returns a price. Some are written as texts.
    fn rate(&self, key: &str) -> Option<f64> {
        let value = self.other.get(key)?;
        let rate = value.as_f64().or_else(|| value.as_str()?.parse().ok())?;
        (rate.is_finite() && rate >= 0.0).then_some(rate)
    }
}

/// Formats a price per token as one per million tokens, without the error of the floating point.
fn per_million(rate: f64) -> String {
    let text = format!("{:.6}", rate * 1e6);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(json: &str) -> Option<String> {
        serde_json::from_str::<ListedPrice>(json).unwrap().columns()
    }

    #[test]
    fn a_price_is_per_million_tokens_and_a_missing_one_is_a_dash() {
        let model = r#"{"mode":"chat","input_cost_per_token":3e-6,"output_cost_per_token":"1.5e-05",
            "cache_read_input_token_cost":3e-07,"input_cost_per_token_above_200k_tokens":6e-06,
            "output_cost_per_token_above_200k_tokens":2.25e-05,"input_cost_per_token_batches":1.5e-06}"#;
        assert_eq!(columns(model).as_deref(), Some("3\t15\t0.3\t-\t-\t200000:6:22.5:-:-:-"));
    }

    #[test]
    fn models_without_a_price_or_without_text_are_left_out() {
        for model in [
            r#"{"mode":"embedding","input_cost_per_token":3e-6,"output_cost_per_token":1e-6}"#,
            r#"{"mode":"chat","input_cost_per_token":3e-6}"#,
            r#"{"mode":"chat","output_cost_per_token":3e-6}"#,
            r#"{"mode":"chat","input_cost_per_token":0,"output_cost_per_token":0}"#,
            r#"{"mode":"chat","input_cost_per_token":-1,"output_cost_per_token":1e-6}"#,
            r#"{"mode":"chat","input_cost_per_token":0.0005,"output_cost_per_token":0.002}"#,
            r#"{"input_cost_per_token":3e-6,"output_cost_per_token":1e-6}"#,
        ] {
            assert_eq!(columns(model), None, "{model}");
        }
    }
}
