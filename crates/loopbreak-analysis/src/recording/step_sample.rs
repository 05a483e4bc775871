//! Selects the steps that a page keeps: all of a short run; of a long one those around findings, both ends, and a
//! sample.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::recorded_step::RecordedStep;
use crate::named_fields;

/// Maximum number of steps per run.
pub const STEPS_A_RUN: usize = 400;

/// Number of last steps that are held back, because a loop is found only after it has lasted for a while.
const RECENT: usize = 32;
/// Number of steps with a finding or progress that are always kept, and number of steps around them.
const POINTS: usize = 110;
const AROUND: usize = 110;
/// Number of steps kept around the point where the run would have ended.
const AROUND_END: usize = 20;
/// Number of steps kept after a point, and minimum number before it.
const AFTER: u64 = 3;
const BEFORE: u64 = 3;
/// Number of steps kept at both ends.
const EDGE: usize = 10;

/// The reason for keeping a step, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub enum SampleRank {
    /// The run would have ended here.
    End,
    /// A finding or progress.
    Point,
    /// Near such a step.
    Around,
    /// At the start or the end of the run.
    Edge,
    /// Part of the sample.
    Sample,
}

/// The interest of a step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StepInterest {
    /// A finding or progress.
    pub(super) point: bool,
    /// The run would have ended here.
    pub(super) end: bool,
    /// The number of the first step of the loop that was found.
    pub(super) since: Option<u64>,
}

/// The steps kept so far.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StepSample {
    #[serde(with = "named_fields")]
    recent: VecDeque<(Option<SampleRank>, RecordedStep)>,
    #[serde(with = "named_fields")]
    rows: BTreeMap<u64, (SampleRank, RecordedStep)>,
    points: usize,
    around: usize,
    around_end: usize,
    /// Steps below this number are near a point.
    near: u64,
    /// Interval of the sample.
    every: u64,
    first: usize,
}

impl Default for StepSample {
    fn default() -> Self {
        StepSample {
            recent: VecDeque::new(),
            rows: BTreeMap::new(),
            points: POINTS,
            around: AROUND,
            around_end: AROUND_END,
            near: 0,
            every: 1,
            first: EDGE,
        }
    }
}

impl StepSample {
    pub(super) fn add(&mut self, row: RecordedStep, interest: StepInterest) {
        let number = row.number;
        let mut rank = None;
        if self.first > 0 {
            self.first -= 1;
            rank = Some(SampleRank::Edge);
        }
        if interest.end {
            rank = Some(SampleRank::End);
            self.look_back(number, interest.since, true);
        } else if interest.point && self.points > 0 {
            self.points -= 1;
            rank = Some(SampleRank::Point);
            self.look_back(number, interest.since, false);
        } else if number < self.near && self.around > 0 && rank.is_none() {
            self.around -= 1;
            rank = Some(SampleRank::Around);
        }
        self.recent.push_back((rank, row));
        if self.recent.len() > RECENT
            && let Some((rank, row)) = self.recent.pop_front()
        {
            self.leave(rank, row);
        }
    }

    /// Keeps the steps that led to this one: the loop from its start, as far as it is available.
    fn look_back(&mut self, number: u64, since: Option<u64>, end: bool) {
        self.near = number + AFTER + 1;
        let from = since.unwrap_or(number).min(number.saturating_sub(BEFORE));
        let room = if end { &mut self.around_end } else { &mut self.around };
        for (rank, row) in self.recent.iter_mut().rev().take_while(|(_, row)| row.number >= from) {
            if rank.is_none() && *room > 0 {
                *room -= 1;
                *rank = Some(SampleRank::Around);
            }
            debug_assert!(row.number < number);
        }
    }

    fn leave(&mut self, rank: Option<SampleRank>, row: RecordedStep) {
        let rank = rank.unwrap_or(SampleRank::Sample);
        if rank == SampleRank::Sample && !row.number.is_multiple_of(self.every) {
            return;
        }
        self.rows.insert(row.number, (rank, row));
        while self.rows.len() > STEPS_A_RUN && self.every < u64::MAX / 2 {
            self.every *= 2;
            let every = self.every;
            self.rows.retain(|number, (rank, _)| *rank != SampleRank::Sample || number.is_multiple_of(every));
        }
    }

    /// Returns the steps that are held back, for marking loops backwards.
    pub(super) fn recent(&self) -> impl Iterator<Item = &RecordedStep> + Clone {
        self.recent.iter().map(|(_, row)| row)
    }

    /// Returns all steps that are kept, in order.
    pub(super) fn finish(mut self) -> Vec<(SampleRank, RecordedStep)> {
        let last = self.recent.len().saturating_sub(EDGE);
        for (index, (rank, row)) in std::mem::take(&mut self.recent).into_iter().enumerate() {
            self.leave(rank.or((index >= last).then_some(SampleRank::Edge)), row);
        }
        self.rows.into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(steps: u64, interest: impl Fn(u64) -> StepInterest) -> Vec<(SampleRank, u64)> {
        let mut kept = StepSample::default();
        for number in 0..steps {
            kept.add(RecordedStep { number, ..RecordedStep::default() }, interest(number));
        }
        kept.finish().into_iter().map(|(rank, row)| (rank, row.number)).collect()
    }

    #[test]
    fn a_short_run_is_kept_whole() {
        let all = kept(STEPS_A_RUN as u64, |_| StepInterest::default());
        assert!(all.iter().map(|(_, number)| *number).eq(0..STEPS_A_RUN as u64));
    }

    #[test]
    fn a_long_run_keeps_its_ends_its_findings_and_a_sample() {
        let all = kept(100_000, |number| StepInterest {
            point: number == 50_000,
            end: number == 70_001,
            since: (number == 50_000).then_some(49_980),
        });
        assert!(all.len() <= STEPS_A_RUN && all.len() > 150, "{}", all.len());
        let has = |number| all.iter().any(|(_, kept)| *kept == number);
        assert!((0..10).chain(49_980..50_004).chain(69_998..=70_004).chain(99_990..100_000).all(has));
        assert!(all.contains(&(SampleRank::End, 70_001)) && !has(50_005));
        assert!(all.windows(2).all(|two| two[0].1 < two[1].1));
    }

    #[test]
    fn a_run_with_a_finding_at_every_step_is_bounded() {
        let all = kept(5000, |number| StepInterest { point: true, end: number == 4000, since: Some(0) });
        assert!(all.len() <= STEPS_A_RUN, "{}", all.len());
        assert!(all.contains(&(SampleRank::End, 4000)));
    }
}
