//! Limits and prices for requests to a model.

use std::time::Duration;

use loopbreak::Usage;

/// Limits for each request to a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChatLimits {
    /// Maximum duration of one attempt.
    pub timeout: Duration,
    /// Number of retries after transient failures: timeout, rate limit, server error.
    pub retries: u32,
    /// Pause before the first retry. It doubles each time; a pause requested by the server takes precedence.
    pub backoff: Duration,
    /// Maximum pause, even if the server requests a longer one.
    pub longest_pause: Duration,
    /// Maximum size of an answer in bytes.
    pub answer_bytes: u64,
    /// Maximum number of tokens of an answer; 0 leaves it to the model.
    pub max_tokens: u32,
}

impl Default for ChatLimits {
    fn default() -> Self {
        ChatLimits {
            timeout: Duration::from_mins(1),
            retries: 2,
            backoff: Duration::from_secs(1),
            longest_pause: Duration::from_secs(30),
            answer_bytes: 1024 * 1024,
            max_tokens: 0,
        }
    }
}

/// Prices per million tokens in US dollars. Without prices, only tokens are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TokenPrices {
    /// Price of input tokens.
    pub input: Option<f64>,
    /// Price of output tokens.
    pub output: Option<f64>,
}

impl TokenPrices {
    /// Returns the cost of the usage, or `None` without a price for it.
    pub(super) fn cost(&self, usage: &Usage) -> Option<f64> {
        let part = |tokens: Option<u64>, price: Option<f64>| Some(tokens? as f64 * price? / 1e6);
        let parts = [part(usage.input_tokens, self.input), part(usage.output_tokens, self.output)];
        parts.iter().any(Option::is_some).then(|| parts.iter().flatten().sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_is_unknown_without_a_price() {
        let usage = Usage { input_tokens: Some(2_000_000), output_tokens: Some(500_000), ..Usage::default() };
        let prices = TokenPrices { input: Some(0.5), output: Some(4.0) };
        assert_eq!(prices.cost(&usage), Some(3.0));
        assert_eq!(TokenPrices { output: None, ..prices }.cost(&usage), Some(1.0));
        assert_eq!(TokenPrices::default().cost(&usage), None);
        assert_eq!(prices.cost(&Usage::default()), None);
    }
}
