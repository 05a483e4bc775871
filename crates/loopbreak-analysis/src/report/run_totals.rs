//! Totals over runs.

use std::collections::BTreeMap;

use serde::Serialize;

use super::run_report::{RunReport, VerdictName};
use crate::json_number::plain_option;
use crate::statistics::EffectCounts;
use crate::statistics::RunCost;

/// Statistics of the inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InputStatistics {
    /// Bytes read.
    pub bytes: u64,
    /// Lines that could not be read.
    pub skipped_lines: u64,
    /// Items of other lines that could not be read.
    pub unread_items: u64,
    /// Files in folders that are not logs.
    pub ignored_files: u64,
}

/// Totals of all runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RunTotals {
    /// Number of runs.
    pub runs: u64,
    /// Number of turns.
    pub steps: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Runs with a finding at `warn` or above, or with items that could not be read.
    pub warned: u64,
    /// Runs with a hard finding.
    pub stopped: u64,
    /// Turns after the first stop of each.
    pub steps_after_stop: u64,
    /// Runs that made progress after their first stop.
    pub progress_after_stop: u64,
    /// Lines that could not be read.
    pub skipped_lines: u64,
    /// Items of other lines that could not be read, if there are any.
    #[serde(skip_serializing_if = "is_zero")]
    pub unread_items: u64,
    /// Number of runs that would have ended or been escalated, by pattern.
    pub endings: BTreeMap<loopbreak::Pattern, u64>,
    /// Average number of turns from the start of a loop to its first stop, over the stopped runs.
    #[serde(serialize_with = "plain_option")]
    pub mean_turns_to_detection: Option<f64>,
    /// Runs that would have ended or been escalated to a human.
    pub ended: u64,
    /// Turns after the ending of each.
    pub steps_after_ending: u64,
    /// Runs that made progress after their ending.
    pub progress_after_ending: u64,
    /// Tokens after the endings.
    pub tokens_after_ending: Option<u64>,
    /// US dollars after the endings.
    pub cost_after_ending_usd: Option<f64>,
    /// Model calls that the steps after the endings stand for.
    pub llm_calls_saved: u64,
    /// Tokens read and written.
    pub tokens: Option<u64>,
    /// US dollars.
    pub cost_usd: Option<f64>,
    /// Tokens after the first stops.
    pub tokens_after_stop: Option<u64>,
    /// US dollars after the first stops.
    pub cost_after_stop_usd: Option<f64>,
    /// Runs that would have ended and have no progress signal: the progress lost is unknown.
    #[serde(skip)]
    pub unmeasured_endings: u64,
    /// Runs with steps after their ending whose tokens are unknown, and those whose cost is.
    #[serde(skip)]
    pub uncounted_endings: u64,
    /// See [`RunTotals::uncounted_endings`].
    #[serde(skip)]
    pub unpriced_endings: u64,
    /// Runs with steps after their ending.
    #[serde(skip)]
    pub wasteful_endings: u64,
    /// Records of refused proposals.
    pub refused: u64,
    /// Turns out of order.
    pub renumbered_turns: u64,
    /// Unknown keys in records.
    pub unknown_keys: u64,
    /// Files in folders that are not logs.
    pub ignored_files: u64,
    /// Counts how loops continued after their first warning.
    pub effects: EffectCounts,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Adds up runs.
#[derive(Clone, Debug, Default)]
pub struct TotalsBuilder {
    totals: RunTotals,
    spent: RunCost,
    after_stop: RunCost,
    after_ending: RunCost,
    /// Turns to detection, and the number of runs they are from.
    turns: u64,
    detections: u64,
}

impl TotalsBuilder {
    /// Adds a run.
    pub fn add(&mut self, run: &RunReport) {
        self.spent.merge(&RunCost { tokens: run.tokens, cost_usd: run.cost_usd });
        self.after_stop.merge(&RunCost { tokens: run.tokens_after_stop, cost_usd: run.cost_after_stop_usd });
        self.after_ending
            .merge(&RunCost { tokens: run.tokens_after_ending, cost_usd: run.cost_after_ending_usd });
        if let Some(stop) = &run.first_stop {
            self.turns += stop.turn.saturating_sub(run.stuck_since.unwrap_or(stop.turn));
            self.detections += 1;
        }
        let totals = &mut self.totals;
        if let Some(ending) = &run.ending {
            *totals.endings.entry(ending.pattern).or_insert(0) += 1;
            totals.ended += 1;
            totals.unmeasured_endings += u64::from(run.progress_after_ending.is_none());
            let wasteful = run.steps_after_ending > 0;
            totals.wasteful_endings += u64::from(wasteful);
            totals.uncounted_endings += u64::from(wasteful && run.tokens_after_ending.is_none());
            totals.unpriced_endings += u64::from(wasteful && run.cost_after_ending_usd.is_none());
        }
        totals.runs += 1;
        totals.steps += run.steps;
        totals.warned += u64::from(run.verdict >= VerdictName::Warn);
        totals.stopped += u64::from(run.verdict == VerdictName::Stop);
        totals.steps_after_stop += run.steps_after_stop;
        totals.progress_after_stop += u64::from(run.progress_after_stop == Some(true));
        totals.steps_after_ending += run.steps_after_ending;
        totals.progress_after_ending += u64::from(run.progress_after_ending == Some(true));
        totals.refused += run.refused;
        totals.renumbered_turns += run.renumbered_turns;
        totals.unknown_keys += run.unknown_keys;
        totals.effects.merge(&run.effects);
    }

    /// Returns the totals, with the statistics of the inputs.
    pub fn finish(self, reading: &InputStatistics, calls_per_step: u32) -> RunTotals {
        let TotalsBuilder { totals, turns, detections, .. } = self;
        let (spent, after_stop, after_ending) =
            (self.spent.rounded(), self.after_stop.rounded(), self.after_ending.rounded());
        RunTotals {
            bytes: reading.bytes,
            skipped_lines: reading.skipped_lines,
            unread_items: reading.unread_items,
            ignored_files: reading.ignored_files,
            mean_turns_to_detection: (detections > 0).then(|| turns as f64 / detections as f64),
            llm_calls_saved: totals.steps_after_ending.saturating_mul(u64::from(calls_per_step)),
            tokens: spent.tokens,
            cost_usd: spent.cost_usd,
            tokens_after_stop: after_stop.tokens,
            cost_after_stop_usd: after_stop.cost_usd,
            tokens_after_ending: after_ending.tokens,
            cost_after_ending_usd: after_ending.cost_usd,
            ..totals
        }
    }
}
