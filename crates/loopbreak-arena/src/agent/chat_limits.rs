//! How long, how much, how often, and at what price a model is asked.

use std::time::Duration;

use loopbreak::Usage;

/// Bounds for each question to a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChatLimits {
    /// No attempt may take longer.
    pub timeout: Duration,
    /// How often it is tried again where that may help: no answer in time, asked too often, a server that failed.
    pub retries: u32,
    /// How long is waited before the first of these; doubled each time, and a server that says for how long is obeyed.
    pub backoff: Duration,
    /// No pause is longer, whatever a server says.
    pub longest_pause: Duration,
    /// How many bytes of an answer are taken in.
    pub answer_bytes: u64,
    /// How many tokens the model may write; 0 leaves it to the model.
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

/// What a million tokens cost, in US dollars. Without prices, only tokens are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TokenPrices {
    /// Those that the model reads.
    pub input: Option<f64>,
    /// Those that it writes.
    pub output: Option<f64>,
}

impl TokenPrices {
    /// What so many tokens cost: nothing is known where there is no price for them.
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
    fn tokens_cost_what_they_cost_and_without_a_price_nothing_is_known() {
        let usage = Usage { input_tokens: Some(2_000_000), output_tokens: Some(500_000), cost_usd: None };
        let prices = TokenPrices { input: Some(0.5), output: Some(4.0) };
        assert_eq!(prices.cost(&usage), Some(3.0));
        assert_eq!(TokenPrices { output: None, ..prices }.cost(&usage), Some(1.0));
        assert_eq!(TokenPrices::default().cost(&usage), None);
        assert_eq!(prices.cost(&Usage::default()), None);
    }
}
