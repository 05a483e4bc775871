//! Totals over runs.

use std::collections::BTreeMap;

use loopbreak::{DetectorName, Intervention};
use serde::Serialize;

use super::run_report::{RunReport, VerdictName};
use super::run_spending::{LoopGroups, TotalSpending};
use crate::json_number::{plain_option, rounded_mean};
use crate::statistics::{
    EffectCounts, LongestLoop, PatternCount, PatternCounts, ProposalDistribution, ProposalScores, RunCost,
    ScoreDistribution, ValueCounts,
};

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
    #[serde(serialize_with = "plain_option")]
    pub cost_after_ending_usd: Option<f64>,
    /// Model calls that the steps after the endings stand for.
    pub llm_calls_saved: u64,
    /// Tokens read and written.
    pub tokens: Option<u64>,
    /// US dollars.
    #[serde(serialize_with = "plain_option")]
    pub cost_usd: Option<f64>,
    /// Tokens after the first stops.
    pub tokens_after_stop: Option<u64>,
    /// US dollars after the first stops.
    #[serde(serialize_with = "plain_option")]
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
    /// Average number of turns per run.
    #[serde(serialize_with = "plain_option")]
    pub mean_steps: Option<f64>,
    /// All findings, counted by detector and pattern.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<PatternCount>,
    /// Proposals whose score would have been lowered.
    pub penalized_proposals: u64,
    /// Proposals that would have been refused.
    pub rejected_proposals: u64,
    /// The same by detector: a proposal counts for the detector with the largest adjustment.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rulings: Vec<DetectorRulings>,
    /// The scores of proposals before and after their adjustments; absent if no critic scored any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposals: Option<ProposalDistribution>,
    /// The distribution of the last scores of the runs; absent if no run has a score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scores: Option<ScoreDistribution>,
    /// Objectives that were completed, counted per run.
    #[serde(skip_serializing_if = "is_zero")]
    pub objectives_completed: u64,
    /// Those of runs with a period without progress that was long enough for a warning.
    #[serde(skip_serializing_if = "is_zero")]
    pub objectives_in_stuck_runs: u64,
    /// Those that were completed after the endings.
    #[serde(skip_serializing_if = "is_zero")]
    pub objectives_after_ending: u64,
    /// Runs with a period without progress that was long enough for a warning.
    pub stuck_runs: u64,
    /// Money: what the runs cost, by their logs or by the prices of their models.
    #[serde(skip_serializing_if = "TotalSpending::is_unknown")]
    pub spending: TotalSpending,
    /// The longest loop of all runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest_loop: Option<LongestLoop>,
}

/// Proposals that a detector would have penalized or refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct DetectorRulings {
    /// The detector.
    pub detector: DetectorName,
    /// Proposals whose score would have been lowered.
    pub penalized: u64,
    /// Proposals that would have been refused.
    pub rejected: u64,
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
    patterns: PatternCounts,
    proposals: ProposalScores,
    scores: ValueCounts,
    groups: LoopGroups,
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
        self.groups.add(run);
        let totals = &mut self.totals;
        totals.spending.add(&run.spending);
        if let Some(ending) = &run.ending {
            *totals.endings.entry(ending.pattern).or_insert(0) += 1;
            totals.ended += 1;
            totals.unmeasured_endings += u64::from(run.progress_after_ending.is_none());
            let wasteful = run.steps_after_ending > 0;
            totals.wasteful_endings += u64::from(wasteful);
            totals.uncounted_endings += u64::from(wasteful && run.tokens_after_ending.is_none());
            totals.unpriced_endings += u64::from(wasteful && run.spending.after_ending_usd.is_none());
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
        totals.llm_calls_saved = totals.llm_calls_saved.saturating_add(run.llm_calls_saved);
        totals.penalized_proposals += run.penalized_proposals;
        totals.rejected_proposals += run.rejected_proposals;
        totals.objectives_completed += run.objectives_completed;
        totals.objectives_after_ending += run.objectives_after_ending;
        if !run.stuck.is_empty() {
            totals.stuck_runs += 1;
            totals.objectives_in_stuck_runs += run.objectives_completed;
        }
        if let Some(longest) = &run.longest_loop
            && totals.longest_loop.as_ref().is_none_or(|known| longest.is_longer_than(known))
        {
            totals.longest_loop = Some(longest.clone());
        }
        self.patterns.merge(&run.patterns);
        run.proposals.iter().for_each(|proposals| self.proposals.merge(proposals));
        run.score.iter().for_each(|score| self.scores.add(score.last));
        self.add_rulings(run);
    }

    fn add_rulings(&mut self, run: &RunReport) {
        let sums = &mut self.totals.rulings;
        for group in &run.rulings {
            let detector = group.detector;
            let index = sums.iter().position(|sum| sum.detector == detector).unwrap_or_else(|| {
                sums.push(DetectorRulings { detector, penalized: 0, rejected: 0 });
                sums.len() - 1
            });
            match group.intervention {
                Intervention::Reject => sums[index].rejected += group.count,
                Intervention::Penalize => sums[index].penalized += group.count,
                _ => {}
            }
        }
    }

    /// Returns the totals, with the statistics of the inputs.
    pub fn finish(self, reading: &InputStatistics) -> RunTotals {
        let TotalsBuilder { mut totals, turns, detections, patterns, proposals, scores, groups, .. } = self;
        totals.spending = totals.spending.finish(groups);
        totals.rulings.sort_by(|a, b| {
            let order = (b.rejected, b.penalized).cmp(&(a.rejected, a.penalized));
            order.then_with(|| a.detector.as_str().cmp(b.detector.as_str()))
        });
        let mean = |sum: u64, count: u64| (count > 0).then(|| rounded_mean(sum as f64 / count as f64));
        let (spent, after_stop, after_ending) =
            (self.spent.rounded(), self.after_stop.rounded(), self.after_ending.rounded());
        RunTotals {
            bytes: reading.bytes,
            skipped_lines: reading.skipped_lines,
            unread_items: reading.unread_items,
            ignored_files: reading.ignored_files,
            mean_turns_to_detection: mean(turns, detections),
            mean_steps: mean(totals.steps, totals.runs),
            patterns: patterns.into_sorted(),
            proposals: proposals.finish(),
            scores: scores.finish(),
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
