//! Finds the loop that each step belongs to.

use std::collections::VecDeque;

use loopbreak::detectors::DetectorSubject;
use loopbreak::evidence::EvidenceKey;
use loopbreak::verdict::LoopId;
use loopbreak::{Finding, Severity, Verdict};

use super::row::{ExplainRow, LoopMark};

/// A loop that is not seen for this number of steps has ended.
const PAUSE: usize = 4;
/// Maximum number of loops that are followed at a time.
const LOOPS: usize = 16;

/// The loops that caused warnings.
#[derive(Debug, Default)]
pub(super) struct LoopTracks(VecDeque<ExplainedLoop>);

#[derive(Debug)]
struct ExplainedLoop {
    id: LoopId,
    /// It is missing progress, which has its own margin.
    progress: bool,
    first: usize,
    last: usize,
    period: Option<usize>,
}

impl LoopTracks {
    /// Marks the newest row, and earlier ones that turn out to belong to a loop. `begin` is the number of the first
    /// row.
    pub(super) fn add(&mut self, verdict: &Verdict, rows: &mut VecDeque<ExplainRow>, begin: usize) {
        let Some(newest) = rows.len().checked_sub(1).map(|last| begin + last) else { return };
        for finding in &verdict.findings {
            let is_loop = finding.severity >= Severity::Warn && finding.detector.subject().can_be_left();
            let known =
                self.0.iter().any(|track| track.id == finding.loop_id && newest <= track.last + PAUSE);
            if is_loop && !known {
                let track = ExplainedLoop::begin(finding, rows, begin, newest);
                track.mark(rows, begin, track.first);
                self.0.retain(|old| old.id != track.id);
                self.0.push_back(track);
                if self.0.len() > LOOPS {
                    self.0.pop_front();
                }
            }
        }
        for track in &mut self.0 {
            if verdict.sighted.contains(&track.id) && track.last < newest {
                if newest > track.last + PAUSE {
                    (track.first, track.last) = (newest, newest);
                }
                let from = track.last.min(newest);
                track.last = newest;
                track.mark(rows, begin, from);
            }
        }
    }
}

impl ExplainedLoop {
    fn begin(finding: &Finding, rows: &VecDeque<ExplainRow>, begin: usize, newest: usize) -> Self {
        let number = |key: EvidenceKey| {
            let number = finding.evidence.number(key)?;
            usize::try_from(number).ok().filter(|number| *number > 0)
        };
        let period = number(EvidenceKey::PERIOD);
        // A detector remembers only the last few turns; rounds times period reaches further back.
        let rounds =
            period.zip(number(EvidenceKey::ROUNDS)).map(|(period, rounds)| period.saturating_mul(rounds));
        let first = match rounds {
            Some(steps) => (newest + 1).saturating_sub(steps),
            None => begin + rows.iter().position(|row| row.turn >= finding.since).unwrap_or(rows.len() - 1),
        };
        let progress = finding.detector.subject() == DetectorSubject::Progress;
        ExplainedLoop {
            id: finding.loop_id,
            progress,
            first: first.clamp(begin, newest),
            last: newest,
            period,
        }
    }

    /// Marks the rows from this number to the last.
    fn mark(&self, rows: &mut VecDeque<ExplainRow>, begin: usize, from: usize) {
        for number in from.max(begin)..=self.last {
            let Some(row) = rows.get_mut(number - begin) else { continue };
            if self.progress {
                row.stuck = true;
            } else if row.mark.is_none_or(|mark| mark.id == self.id) {
                // If two loops overlap, the first one keeps the step.
                row.mark = Some(LoopMark { id: self.id, at: number - self.first, period: self.period });
            }
        }
    }
}
