//! Money: what runs and loops cost, by their logs or by the prices of their models.

use std::collections::BTreeMap;

use loopbreak::verdict::LoopId;
use loopbreak::{DetectorName, Pattern};
use serde::{Serialize, Serializer};

use super::run_report::RunReport;
use crate::json_number::{self, plain_option};
use crate::prices::PriceSource;

/// Maximum number of groups of loops, and of groups that are counted at once.
const LISTED_GROUPS: usize = 50;
const COUNTED_GROUPS: usize = 100_000;
/// Maximum number of unpriced models of all runs.
const MODELS: usize = 50;

/// The cost of a run. The log comes first; the rest is estimated by the prices of the models.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RunSpending {
    /// US dollars; absent if no cost and no price is known.
    #[serde(serialize_with = "plain_option")]
    pub spent_usd: Option<f64>,
    /// The part of it that is estimated.
    #[serde(serialize_with = "plain_option", skip_serializing_if = "Option::is_none")]
    pub estimated_usd: Option<f64>,
    /// The part that was spent in loops which the agent would have been warned about.
    #[serde(serialize_with = "plain_option")]
    pub in_loops_usd: Option<f64>,
    /// The part after the point where the run would have ended; absent without such a point.
    #[serde(serialize_with = "plain_option", skip_serializing_if = "Option::is_none")]
    pub after_ending_usd: Option<f64>,
    /// Steps in such loops.
    pub steps_in_loops: u64,
    /// Tokens of these steps, if there are any.
    #[serde(skip_serializing_if = "is_zero")]
    pub tokens_in_loops: u64,
    /// Tokens that have neither a cost in the log nor a price.
    #[serde(skip_serializing_if = "is_zero")]
    pub unpriced_tokens: u64,
    /// The models of those tokens; an empty name if the log has none.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "models")]
    pub unpriced_models: Vec<(String, u64)>,
}

impl RunSpending {
    /// Returns whether neither money nor tokens without a price are known.
    pub fn is_unknown(&self) -> bool {
        self.spent_usd.is_none() && self.unpriced_tokens == 0
    }
}

/// A loop that the agent would have been warned about.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopCost {
    /// Its identity, which is the same in other runs.
    pub id: LoopId,
    /// The detector of the first warning.
    pub detector: DetectorName,
    /// The pattern of the first warning.
    pub pattern: Pattern,
    /// The tool of its last step.
    pub tool: Option<String>,
    /// The reason of the first warning.
    pub reason: String,
    /// The turn at which it began.
    pub since: u64,
    /// Number of steps.
    pub steps: u64,
    /// Tokens of these steps.
    pub tokens: u64,
    /// US dollars.
    pub cost_usd: Option<f64>,
}

/// The same loop in several runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoopGroup {
    /// Its identity.
    #[serde(rename = "loop")]
    pub id: LoopId,
    /// The detector of the first warning.
    pub detector: DetectorName,
    /// The pattern of the first warning.
    pub pattern: Pattern,
    /// The tool, if the log names tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The reason of the first warning in the first of the runs.
    pub reason: String,
    /// Number of runs.
    pub runs: u64,
    /// Number of steps.
    pub steps: u64,
    /// Tokens of these steps, if there are any.
    #[serde(skip_serializing_if = "is_zero")]
    pub tokens: u64,
    /// US dollars, if they are known in any of the runs.
    #[serde(serialize_with = "plain_option")]
    pub cost_usd: Option<f64>,
    /// Time of the first run with it, in milliseconds since 1970.
    pub first_seen: Option<i64>,
    /// End of the last run with it.
    pub last_seen: Option<i64>,
}

/// The cost of all runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TotalSpending {
    /// US dollars.
    #[serde(serialize_with = "plain_option")]
    pub spent_usd: Option<f64>,
    /// The part of it that is estimated.
    #[serde(serialize_with = "plain_option", skip_serializing_if = "Option::is_none")]
    pub estimated_usd: Option<f64>,
    /// The part that was spent in loops.
    #[serde(serialize_with = "plain_option")]
    pub in_loops_usd: Option<f64>,
    /// The part after the points where runs would have ended.
    #[serde(serialize_with = "plain_option", skip_serializing_if = "Option::is_none")]
    pub after_ending_usd: Option<f64>,
    /// Steps in loops.
    pub steps_in_loops: u64,
    /// Tokens of these steps, if there are any.
    #[serde(skip_serializing_if = "is_zero")]
    pub tokens_in_loops: u64,
    /// Tokens without a cost and without a price.
    #[serde(skip_serializing_if = "is_zero")]
    pub unpriced_tokens: u64,
    /// The models of those tokens, the one with the most first.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "models")]
    pub unpriced_models: Vec<(String, u64)>,
    /// The prices, if any of it is estimated.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "source")]
    pub prices: Option<PriceSource>,
    /// The same loop in several runs, the most expensive first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repeated_loops: Vec<LoopGroup>,
}

impl TotalSpending {
    /// Returns whether there is nothing to say.
    pub fn is_unknown(&self) -> bool {
        self.spent_usd.is_none() && self.unpriced_tokens == 0 && self.repeated_loops.is_empty()
    }

    pub(super) fn add(&mut self, run: &RunSpending) {
        let sums = [
            (&mut self.spent_usd, run.spent_usd),
            (&mut self.estimated_usd, run.estimated_usd),
            (&mut self.in_loops_usd, run.in_loops_usd),
            (&mut self.after_ending_usd, run.after_ending_usd),
        ];
        for (sum, more) in sums {
            if let Some(more) = more {
                *sum = Some(sum.unwrap_or(0.0) + more);
            }
        }
        self.steps_in_loops += run.steps_in_loops;
        self.tokens_in_loops = self.tokens_in_loops.saturating_add(run.tokens_in_loops);
        self.unpriced_tokens = self.unpriced_tokens.saturating_add(run.unpriced_tokens);
        for (model, tokens) in &run.unpriced_models {
            if let Some((_, sum)) = self.unpriced_models.iter_mut().find(|(name, _)| name == model) {
                *sum = sum.saturating_add(*tokens);
            } else if self.unpriced_models.len() < MODELS {
                self.unpriced_models.push((model.clone(), *tokens));
            }
        }
    }

    pub(super) fn finish(mut self, groups: LoopGroups) -> Self {
        for sum in
            [&mut self.spent_usd, &mut self.estimated_usd, &mut self.in_loops_usd, &mut self.after_ending_usd]
        {
            *sum = sum.map(json_number::money);
        }
        self.unpriced_models.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        self.prices = self.estimated_usd.map(|_| PriceSource::current());
        self.repeated_loops = groups.finish();
        self
    }
}

/// Groups the loops of all runs by their identity.
#[derive(Clone, Debug, Default)]
pub(super) struct LoopGroups(BTreeMap<(u64, Pattern), LoopGroup>);

impl LoopGroups {
    pub(super) fn add(&mut self, run: &RunReport) {
        for found in run.loops.iter().filter(|found| found.steps > 0) {
            let is_full = self.0.len() >= COUNTED_GROUPS;
            let key = (found.id.0, found.pattern);
            if is_full && !self.0.contains_key(&key) {
                continue;
            }
            let group = self.0.entry(key).or_insert_with(|| LoopGroup {
                id: found.id,
                detector: found.detector,
                pattern: found.pattern,
                tool: found.tool.clone(),
                reason: found.reason.clone(),
                runs: 0,
                steps: 0,
                tokens: 0,
                cost_usd: None,
                first_seen: run.started,
                last_seen: run.ended,
            });
            group.runs += 1;
            group.steps += found.steps;
            group.tokens = group.tokens.saturating_add(found.tokens);
            if let Some(cost) = found.cost_usd {
                group.cost_usd = Some(json_number::money(group.cost_usd.unwrap_or(0.0) + cost));
            }
            group.first_seen = group.first_seen.into_iter().chain(run.started).min();
            group.last_seen = group.last_seen.max(run.ended);
        }
    }

    /// Returns the groups of more than one run: the most expensive first, then those with the most steps.
    fn finish(self) -> Vec<LoopGroup> {
        let mut groups: Vec<LoopGroup> = self.0.into_values().filter(|group| group.runs > 1).collect();
        let cost = |group: &LoopGroup| group.cost_usd.unwrap_or(-1.0);
        groups.sort_by(|one, other| cost(other).total_cmp(&cost(one)).then(other.steps.cmp(&one.steps)));
        groups.truncate(LISTED_GROUPS);
        groups
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

fn models<S: Serializer>(models: &[(String, u64)], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct ModelTokens<'m> {
        model: &'m str,
        tokens: u64,
    }
    serializer.collect_seq(models.iter().map(|(model, tokens)| ModelTokens { model, tokens: *tokens }))
}

#[expect(clippy::ref_option, reason = "serde passes a reference")]
fn source<S: Serializer>(source: &Option<PriceSource>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct PriceOrigin {
        date: &'static str,
        source: &'static str,
    }
    let source = source.map(|source| PriceOrigin { date: source.date, source: source.package });
    source.serialize(serializer)
}
