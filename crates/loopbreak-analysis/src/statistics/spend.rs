//! Money: what the log says that steps cost, and the estimate for those of which it says nothing.

use serde::{Deserialize, Serialize};

use crate::json_number;
use crate::prices::StepCost;

/// Maximum number of unpriced models that are named.
const MAX_MODELS: usize = 8;

/// The cost of some steps. It takes one byte in a record if there is none, because a log may hold a million runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Option<SpendParts>", into = "Option<SpendParts>")]
pub(crate) struct StepSpend {
    /// Cost by the log.
    stated: f64,
    /// The estimate for the steps of which the log says nothing, and for the others.
    estimated: f64,
    estimated_besides: f64,
    /// Tokens of steps without a cost and without a price.
    unpriced_tokens: u64,
    stated_steps: u64,
    estimated_steps: u64,
}

/// The fields of a [`StepSpend`] in their order.
type SpendParts = (f64, f64, f64, u64, u64, u64);

impl From<Option<SpendParts>> for StepSpend {
    fn from(parts: Option<SpendParts>) -> Self {
        let (stated, estimated, estimated_besides, unpriced_tokens, stated_steps, estimated_steps) =
            parts.unwrap_or_default();
        StepSpend { stated, estimated, estimated_besides, unpriced_tokens, stated_steps, estimated_steps }
    }
}

impl From<StepSpend> for Option<SpendParts> {
    fn from(spend: StepSpend) -> Self {
        let StepSpend {
            stated,
            estimated,
            estimated_besides,
            unpriced_tokens,
            stated_steps,
            estimated_steps,
        } = spend;
        (spend != StepSpend::default()).then_some((
            stated,
            estimated,
            estimated_besides,
            unpriced_tokens,
            stated_steps,
            estimated_steps,
        ))
    }
}

impl StepSpend {
    pub(crate) fn add(&mut self, cost: &StepCost) {
        match (cost.stated, cost.estimated) {
            (Some(stated), estimated) => {
                self.stated += stated;
                self.stated_steps += 1;
                self.estimated_besides += estimated.unwrap_or(0.0);
            }
            (None, Some(estimated)) => {
                self.estimated += estimated;
                self.estimated_steps += 1;
            }
            (None, None) => self.unpriced_tokens = self.unpriced_tokens.saturating_add(cost.tokens),
        }
    }

    /// Adds the cost of other steps.
    pub(crate) fn merge(&mut self, other: &StepSpend) {
        self.stated += other.stated;
        self.estimated += other.estimated;
        self.estimated_besides += other.estimated_besides;
        self.unpriced_tokens = self.unpriced_tokens.saturating_add(other.unpriced_tokens);
        self.stated_steps += other.stated_steps;
        self.estimated_steps += other.estimated_steps;
    }

    /// Returns the cost of the steps after `earlier`.
    pub(crate) fn since(&self, earlier: &StepSpend) -> StepSpend {
        StepSpend {
            stated: (self.stated - earlier.stated).max(0.0),
            estimated: (self.estimated - earlier.estimated).max(0.0),
            estimated_besides: (self.estimated_besides - earlier.estimated_besides).max(0.0),
            unpriced_tokens: self.unpriced_tokens.saturating_sub(earlier.unpriced_tokens),
            stated_steps: self.stated_steps.saturating_sub(earlier.stated_steps),
            estimated_steps: self.estimated_steps.saturating_sub(earlier.estimated_steps),
        }
    }

    /// Returns whether the log says what all steps cost: some logs give one sum, at their end or at their beginning. If the
    /// sum is nearer to the estimate for all steps than to the one for the steps that have it, it is the sum of all.
    fn is_sum(&self) -> bool {
        let besides = self.estimated_besides;
        self.stated_steps > 0
            && (self.stated - besides - self.estimated).abs() <= (self.stated - besides).abs()
    }

    /// Returns the total of a run, and how parts of it are computed.
    pub(crate) fn finish(&self) -> SpendTotal {
        SpendTotal { all: *self, is_sum: self.is_sum() }
    }
}

/// The cost of a whole run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpendTotal {
    all: StepSpend,
    is_sum: bool,
}

impl SpendTotal {
    /// Returns the cost of the run in US dollars, if any of it is known.
    pub(crate) fn cost_usd(&self) -> Option<f64> {
        let is_known = self.all.stated_steps + self.all.estimated_steps > 0;
        is_known
            .then(|| json_number::money(self.all.stated + if self.is_sum { 0.0 } else { self.all.estimated }))
    }

    /// Returns the part of the cost that is estimated.
    pub(crate) fn estimated_usd(&self) -> Option<f64> {
        let estimated = if self.is_sum { 0.0 } else { self.all.estimated };
        (estimated > 0.0).then(|| json_number::money(estimated))
    }

    /// Returns the cost of a part of the run. It is unknown if the log says it for the whole run only and the model has no
    /// price. `is_whole` is true if the part has all steps.
    pub(crate) fn part_usd(&self, part: &StepSpend, is_whole: bool) -> Option<f64> {
        let whole = self.cost_usd()?;
        if is_whole {
            return Some(whole);
        }
        let all = &self.all;
        if !self.is_sum {
            return Some(json_number::money(part.stated + part.estimated).min(whole));
        }
        // One step that has the cost of all says nothing about the others.
        if all.estimated_steps == 0 && all.stated_steps == 1 {
            return None;
        }
        let estimate = |spend: &StepSpend| spend.estimated + spend.estimated_besides;
        let share = if estimate(all) > 0.0 && all.estimated_steps > 0 {
            estimate(part) / estimate(all)
        } else {
            part.stated / all.stated
        };
        Some(if share.is_finite() { json_number::money(whole * share.clamp(0.0, 1.0)) } else { 0.0 })
    }

    /// Returns the cost of some steps of the run, unless none of them has a price.
    pub(crate) fn priced_part_usd(&self, part: &StepSpend) -> Option<f64> {
        let is_priced = part.stated_steps + part.estimated_steps > 0;
        self.part_usd(part, false).filter(|_| is_priced)
    }

    /// Returns the tokens that have no price and are not part of a sum that the log gives.
    pub(crate) fn unpriced_tokens(&self) -> u64 {
        if self.is_sum { 0 } else { self.all.unpriced_tokens }
    }
}

/// The tokens of models without a price.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UnpricedModels(Vec<(String, u64)>);

impl UnpricedModels {
    /// Adds the tokens of a model; the name is empty if the log has none.
    pub(crate) fn add(&mut self, model: &str, tokens: u64) {
        if let Some((_, sum)) = self.0.iter_mut().find(|(name, _)| name == model) {
            *sum = sum.saturating_add(tokens);
        } else if self.0.len() < MAX_MODELS {
            self.0.push((model.to_owned(), tokens));
        }
    }

    /// Returns the models, the one with the most tokens first.
    pub(crate) fn into_sorted(mut self) -> Vec<(String, u64)> {
        self.0.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(stated: Option<f64>, estimated: Option<f64>) -> StepCost {
        StepCost { stated, estimated, tokens: 1_000 }
    }

    fn spend(steps: &[StepCost]) -> StepSpend {
        let mut spend = StepSpend::default();
        for step in steps {
            spend.add(step);
        }
        spend
    }

    #[test]
    fn the_cost_that_a_step_states_comes_before_the_estimate() {
        let all =
            spend(&[step(Some(1.0), Some(9.0)), step(Some(2.0), Some(9.0)), step(Some(0.0), Some(9.0))]);
        let total = all.finish();
        assert_eq!((total.cost_usd(), total.estimated_usd(), total.unpriced_tokens()), (Some(3.0), None, 0));
        assert_eq!(total.part_usd(&spend(&[step(Some(2.0), Some(9.0))]), false), Some(2.0));
    }

    #[test]
    fn a_step_without_a_cost_is_estimated_beside_the_others() {
        let total = spend(&[step(Some(1.0), Some(1.1)), step(None, Some(2.0)), step(None, None)]).finish();
        assert_eq!((total.cost_usd(), total.estimated_usd()), (Some(3.0), Some(2.0)));
        assert_eq!(total.unpriced_tokens(), 1_000);
    }

    #[test]
    fn a_sum_at_the_end_replaces_the_estimates_and_scales_their_shares() {
        let early = [step(None, Some(1.0)), step(None, Some(3.0))];
        let total = spend(&[early[0], early[1], step(Some(3.6), None)]).finish();
        assert_eq!((total.cost_usd(), total.estimated_usd()), (Some(3.6), None));
        assert_eq!(total.part_usd(&spend(&early[1..]), false), Some(2.7));
    }

    #[test]
    fn a_sum_without_estimates_says_nothing_about_a_part() {
        let first = step(Some(4.0), None);
        let all = spend(&[first, step(None, None)]);
        assert_eq!((all.finish().cost_usd(), all.finish().unpriced_tokens()), (Some(4.0), 0));
        assert_eq!(all.finish().part_usd(&spend(&[step(None, None)]), false), None);
        assert_eq!(all.finish().part_usd(&all, true), Some(4.0));
    }

    #[test]
    fn without_any_cost_all_is_unknown_and_not_free() {
        let total = spend(&[step(None, None)]).finish();
        assert_eq!((total.cost_usd(), total.estimated_usd(), total.unpriced_tokens()), (None, None, 1_000));
        assert_eq!(StepSpend::default().finish().cost_usd(), None);
        assert_eq!(total.part_usd(&StepSpend::default(), false), None);
    }

    #[test]
    fn models_without_a_price_are_counted_and_bounded() {
        let mut models = UnpricedModels::default();
        for number in 0..100_u64 {
            models.add(&format!("m{}", number % 20), number);
        }
        let models = models.into_sorted();
        assert_eq!(models.len(), MAX_MODELS);
        assert!(models.is_sorted_by(|one, other| one.1 >= other.1));
    }
}
