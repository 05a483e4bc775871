//! Prices the steps of a run.

use loopbreak::settings::Settings;
use loopbreak::{Step, Usage};

use super::price_table::PriceTable;
use super::token_price::TokenPrice;

/// Number of models whose prices are kept.
const MAX_MODELS: usize = 8;

/// The cost of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepCost {
    /// Cost by the log, in US dollars.
    pub stated: Option<f64>,
    /// Cost of its tokens by the table, in US dollars.
    pub estimated: Option<f64>,
    /// Tokens read and written.
    pub tokens: u64,
}

/// Prices steps by the tables. Remembers the models that it met.
#[derive(Clone, Debug, Default)]
pub struct StepPricer {
    table: PriceTable,
    known: Vec<(String, Option<TokenPrice>)>,
}

impl StepPricer {
    /// Creates a pricer with the prices of the user.
    pub fn new(settings: &Settings) -> Self {
        StepPricer { table: PriceTable::new(settings), known: Vec::new() }
    }

    /// Returns the cost of a step.
    pub fn cost(&mut self, step: &Step<'_>) -> StepCost {
        let Some(usage) = &step.usage else { return StepCost::default() };
        let tokens = usage.input_tokens.unwrap_or(0).saturating_add(usage.output_tokens.unwrap_or(0));
        let estimated = match step.model.as_deref() {
            Some(model) if tokens > 0 => self.price(model).and_then(|price| price.cost(usage)),
            _ => None,
        };
        StepCost { stated: usage.cost_usd.filter(|cost| cost.is_finite() && *cost >= 0.0), estimated, tokens }
    }

    /// Returns a step with the cost of its tokens, if the log does not say its cost and the tokens have a price.
    pub fn with_cost<'s>(&mut self, step: &Step<'s>) -> Option<Step<'s>> {
        let cost = self.cost(step);
        let estimated = cost.estimated.filter(|_| cost.stated.is_none())?;
        let usage = Usage { cost_usd: Some(estimated), ..step.usage.unwrap_or_default() };
        Some(Step { usage: Some(usage), ..step.clone() })
    }

    fn price(&mut self, model: &str) -> Option<TokenPrice> {
        if let Some((_, price)) = self.known.iter().find(|(name, _)| name == model) {
            return *price;
        }
        let price = self.table.price(model);
        if self.known.len() >= MAX_MODELS {
            self.known.remove(0);
        }
        self.known.push((model.to_owned(), price));
        price
    }
}

#[cfg(test)]
mod tests {
    use loopbreak::Settings;

    use super::*;

    fn cost(json: &str) -> StepCost {
        StepPricer::new(&Settings::default()).cost(&Step::from_json(json).unwrap())
    }

    #[test]
    fn a_step_has_what_the_log_says_and_what_its_tokens_cost() {
        let both = cost(r#"{"model":"claude-opus-4-6","usage":{"input_tokens":1000000,"cost_usd":4.5}}"#);
        assert_eq!(both, StepCost { stated: Some(4.5), estimated: Some(5.0), tokens: 1_000_000 });
        assert_eq!(cost(r#"{"model":"claude-opus-4-6","action":"look"}"#), StepCost::default());
        let wrong = cost(r#"{"model":"claude-opus-4-6","usage":{"cost_usd":-1}}"#);
        assert_eq!(wrong, StepCost::default());
    }

    #[test]
    fn a_step_without_a_model_is_not_priced_by_that_of_another() {
        let mut pricer = StepPricer::new(&Settings::default());
        let known = Step::from_json(r#"{"model":"gpt-4o","usage":{"output_tokens":1000000}}"#).unwrap();
        assert_eq!(pricer.cost(&known).estimated, Some(10.0));
        for line in
            [r#"{"usage":{"output_tokens":5}}"#, r#"{"model":"gpt-4o-9","usage":{"output_tokens":5}}"#]
        {
            assert_eq!(pricer.cost(&Step::from_json(line).unwrap()).estimated, None, "{line}");
        }
        for number in 0..100 {
            let line = format!(r#"{{"model":"m{number}","usage":{{"output_tokens":5}}}}"#);
            pricer.cost(&Step::from_json(&line).unwrap());
        }
        assert_eq!((pricer.known.len(), pricer.cost(&known).estimated), (MAX_MODELS, Some(10.0)));
    }
}
