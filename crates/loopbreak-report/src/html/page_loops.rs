//! The loops of all runs on a page. The same loop in several runs is one.

use std::collections::HashMap;

use loopbreak::verdict::LoopId;
use loopbreak::{DetectorName, Pattern};
use loopbreak_analysis::{LoopCost, RunReport, plain_option};
use serde::Serialize;

/// Maximum number of loops on a page.
const LISTED_LOOPS: usize = 1_000;

/// A loop, as its first run has it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct PageLoop<'r> {
    #[serde(rename = "d")]
    detector: DetectorName,
    #[serde(rename = "p")]
    pattern: Pattern,
    #[serde(rename = "o", skip_serializing_if = "Option::is_none")]
    tool: Option<&'r str>,
    #[serde(rename = "y")]
    reason: &'r str,
}

/// A loop of one run: its index, the turn at which it began, its steps, its tokens and its cost in US dollars.
#[derive(Clone, Debug, Serialize)]
pub(super) struct LoopEntry(usize, u64, u64, u64, #[serde(serialize_with = "plain_option")] Option<f64>);

/// The same identity and the same pattern, as in the totals.
type LoopKey = (LoopId, Pattern);

/// All loops of the listed runs.
#[derive(Debug)]
pub(super) struct PageLoops<'r> {
    listed: Vec<PageLoop<'r>>,
    index: HashMap<LoopKey, usize>,
    left_out: usize,
}

/// A loop with the sums that decide which loops are listed.
struct LoopSum<'r> {
    first: &'r LoopCost,
    place: usize,
    runs: u64,
    steps: u64,
    cost_usd: f64,
}

impl<'r> PageLoops<'r> {
    /// Lists the loops of these runs: all, or those that cost most.
    pub(super) fn new(runs: impl Iterator<Item = &'r RunReport>) -> Self {
        let mut sums: HashMap<LoopKey, LoopSum<'r>> = HashMap::new();
        for found in runs.flat_map(|run| &run.loops).filter(|found| found.steps > 0) {
            let place = sums.len();
            let sum = sums.entry((found.id, found.pattern)).or_insert(LoopSum {
                first: found,
                place,
                runs: 0,
                steps: 0,
                cost_usd: 0.0,
            });
            sum.runs += 1;
            sum.steps += found.steps;
            sum.cost_usd += found.cost_usd.unwrap_or(0.0);
        }
        let mut sums: Vec<LoopSum<'r>> = sums.into_values().collect();
        sums.sort_by(|one, other| {
            let cost = other.cost_usd.total_cmp(&one.cost_usd);
            cost.then((other.runs, other.steps).cmp(&(one.runs, one.steps))).then(one.place.cmp(&other.place))
        });
        let left_out = sums.len().saturating_sub(LISTED_LOOPS);
        sums.truncate(LISTED_LOOPS);
        let index =
            sums.iter().enumerate().map(|(index, sum)| ((sum.first.id, sum.first.pattern), index)).collect();
        let listed = sums.iter().map(|sum| PageLoop {
            detector: sum.first.detector,
            pattern: sum.first.pattern,
            tool: sum.first.tool.as_deref(),
            reason: &sum.first.reason,
        });
        PageLoops { listed: listed.collect(), index, left_out }
    }

    /// Returns the listed loops of a run.
    pub(super) fn loops_of(&self, run: &RunReport) -> Vec<LoopEntry> {
        let loops = run.loops.iter().filter(|found| found.steps > 0);
        let loops = loops.filter_map(|found| {
            let index = *self.index.get(&(found.id, found.pattern))?;
            Some(LoopEntry(index, found.since, found.steps, found.tokens, found.cost_usd))
        });
        loops.collect()
    }

    /// Returns the number of loops that are not listed.
    pub(super) fn left_out(&self) -> usize {
        self.left_out
    }

    /// Returns the listed loops.
    pub(super) fn into_listed(self) -> Vec<PageLoop<'r>> {
        self.listed
    }
}
