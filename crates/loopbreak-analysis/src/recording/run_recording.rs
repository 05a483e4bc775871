//! The recording of one run for a page.

use loopbreak::{Step, Verdict, step::MAIN_AGENT};
use serde::{Deserialize, Serialize};

use super::guard_flags::{GuardFlag, GuardFlags};
use super::loop_bands::{LoopBand, LoopBands};
use super::progress_marks::{ProgressMark, ProgressMarks};
use super::recorded_step::RecordedStep;
use super::step_sample::{SampleRank, StepInterest, StepSample};
use super::tool_lane;
use super::visible_text::visible_text;
use crate::prices::StepCost;
use crate::statistics::{FindingReport, RepeatTracker, RunTimeline, StepSpend};

/// Maximum number of agents that are distinguished.
const AGENTS: usize = 64;
const NAME: usize = 60;

/// Records one run of any length in bounded memory.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct RunRecording {
    kept: StepSample,
    bands: LoopBands,
    flags: GuardFlags,
    marks: ProgressMarks,
    tools: RunTimeline,
    /// The names of the agents, and their numbers of steps.
    agents: Vec<(String, u64)>,
    /// The first and the last turn.
    turns: Option<(u64, u64)>,
    records: u64,
    repeats: RepeatTracker,
    score: Option<f64>,
    spend: StepSpend,
}

/// The finished recording of one run.
#[derive(Debug)]
pub struct FinishedRecording {
    /// The steps that are kept, in order, each with the reason why.
    pub steps: Vec<(SampleRank, RecordedStep)>,
    /// The loops.
    pub bands: Vec<LoopBand>,
    /// Number of loops beyond these.
    pub bands_left_out: u64,
    /// Warnings and interventions.
    pub flags: Vec<GuardFlag>,
    /// Number of flags beyond these.
    pub flags_left_out: u64,
    /// Steps of progress.
    pub marks: Vec<ProgressMark>,
    /// Number of steps of progress beyond these.
    pub marks_left_out: u64,
    /// The tools over the run.
    pub tools: RunTimeline,
    /// The names of the agents.
    pub agents: Vec<String>,
    /// The first and the last turn.
    pub turns: Option<(u64, u64)>,
    /// Number of records.
    pub records: u64,
}

impl RunRecording {
    /// Adds a step, its verdict and its cost.
    pub fn add(&mut self, step: &Step<'_>, verdict: &Verdict, cost: &StepCost) {
        let turn = verdict.turn;
        let mut row = RecordedStep::new(step, turn);
        row.number = self.records;
        self.records += 1;
        (row.agent, row.own) = self.agent(step.agent.as_deref().unwrap_or(MAIN_AGENT));
        let score = step.score.filter(|score| score.is_finite());
        row.score = score.filter(|score| self.score != Some(*score));
        self.score = score.or(self.score);
        row.repeats = self.repeats.observe(step, turn);
        if *cost != StepCost::default() {
            self.spend.add(cost);
            row.spend.get_or_insert_default().add(cost);
            row.tokens = cost.tokens;
        }
        if !step.refused {
            tool_lane::add(&mut self.tools, step, turn);
            let (first, last) = self.turns.unwrap_or((turn, turn));
            self.turns = Some((first.min(turn), last.max(turn)));
        }
        let flagged = self.flags.add(verdict, row.number);
        let progress = self.marks.add(step, verdict);
        let since = self.bands.add(verdict, &row, &self.kept.recent());
        let interest = StepInterest { point: flagged.any || progress, end: flagged.ends, since };
        self.kept.add(row, interest);
    }

    /// Ends the recording, given the findings in the report of the same run.
    pub fn finish(self, findings: &[FindingReport]) -> FinishedRecording {
        let RunRecording { kept, bands, flags, marks, tools, agents, turns, records, spend, .. } = self;
        let (flags, flags_left_out) = flags.finish(findings);
        let total = spend.finish();
        let steps = kept.finish().into_iter().map(|(rank, mut row)| {
            bands.mark(&mut row);
            row.settle_cost(&total);
            (rank, row)
        });
        FinishedRecording {
            steps: steps.collect(),
            bands_left_out: bands.left_out,
            bands: bands.into_all(&total),
            flags,
            flags_left_out,
            marks_left_out: marks.left_out,
            marks: marks.into_all(),
            tools,
            agents: agents.into_iter().map(|(name, _)| name).collect(),
            turns,
            records,
        }
    }

    /// Returns the index of an agent and the number of its earlier steps.
    fn agent(&mut self, name: &str) -> (usize, u64) {
        let name = visible_text(name, NAME);
        let known = self.agents.iter().position(|(known, _)| *known == name);
        let index = known.unwrap_or_else(|| {
            if self.agents.len() < AGENTS {
                self.agents.push((name, 0));
            }
            self.agents.len() - 1
        });
        let count = &mut self.agents[index].1;
        *count += 1;
        (index, *count - 1)
    }
}
