//! The loops of a run as bands.

use loopbreak::evidence::EvidenceKey;
use loopbreak::verdict::LoopId;
use loopbreak::{DetectorName, Finding, Pattern, Severity, Verdict};
use serde::Serialize;

use super::recorded_step::RecordedStep;
use crate::pack::packed;

/// A loop that is not seen for this number of steps has ended.
const PAUSE: u64 = 4;
/// Maximum number of bands per run.
const BANDS: usize = 80;

/// One stretch of one loop.
#[derive(Debug, Serialize)]
pub struct LoopBand {
    #[serde(skip)]
    id: LoopId,
    #[serde(rename = "d")]
    detector: DetectorName,
    #[serde(rename = "p")]
    pattern: Pattern,
    /// Its first and its last turn.
    #[serde(rename = "f")]
    from: u64,
    #[serde(rename = "t")]
    to: u64,
    /// The numbers of its first and last step among all records.
    #[serde(skip)]
    first: u64,
    #[serde(skip)]
    last: u64,
    /// The number of its first step among those of its agent.
    #[serde(rename = "i")]
    own: u64,
    #[serde(skip)]
    agent: usize,
    /// Number of steps per round, if known.
    #[serde(rename = "r", skip_serializing_if = "Option::is_none")]
    period: Option<u64>,
    #[serde(rename = "s")]
    severity: Severity,
}

/// All baselines.
#[derive(Debug, Default)]
pub(super) struct LoopBands {
    all: Vec<LoopBand>,
    pub(super) left_out: u64,
}

packed! {
    LoopBand { id, detector, pattern, from, to, first, last, own, agent, period, severity }
    LoopBands { all, left_out }
}

impl LoopBands {
    /// Adds the newest step, given the steps before it that are still available. Returns the number of the first step
    /// of a loop that was found at this step.
    pub(super) fn add<'r>(
        &mut self,
        verdict: &Verdict,
        newest: &'r RecordedStep,
        before: &(impl Iterator<Item = &'r RecordedStep> + Clone),
    ) -> Option<u64> {
        let mut since: Option<u64> = None;
        for finding in verdict.findings.iter().filter(|finding| is_loop(finding)) {
            let open =
                |band: &&mut LoopBand| band.id == finding.loop_id && newest.number <= band.last + PAUSE;
            if let Some(band) = self.all.iter_mut().rev().find(open) {
                band.severity = band.severity.max(finding.severity);
                (band.to, band.last) = (newest.turn, newest.number);
                continue;
            }
            if self.all.len() == BANDS {
                self.left_out += 1;
                continue;
            }
            let band = LoopBand::begin(finding, newest, before.clone());
            since = Some(since.unwrap_or(band.first).min(band.first));
            self.all.push(band);
        }
        for band in self.all.iter_mut().filter(|band| newest.number <= band.last + PAUSE) {
            if verdict.sighted.contains(&band.id) {
                (band.to, band.last) = (newest.turn, newest.number);
            }
        }
        since
    }

    /// Adds the loops that a step belongs to, those with rounds first because they say most.
    pub(super) fn mark(&self, row: &mut RecordedStep) {
        let inside = |band: &LoopBand| {
            (band.first..=band.last).contains(&row.number)
                && (band.agent == row.agent || band.period.is_none())
        };
        let (mut all, mut without) = (Vec::new(), Vec::new());
        for (index, band) in self.all.iter().enumerate().filter(|(_, band)| inside(band)) {
            if band.period.is_some() { all.push(index) } else { without.push(index) }
        }
        all.into_iter().chain(without).for_each(|band| row.add_loop(band));
    }

    pub(super) fn into_all(self) -> Vec<LoopBand> {
        self.all
    }
}

impl LoopBand {
    fn begin<'r>(
        finding: &Finding,
        newest: &'r RecordedStep,
        before: impl Iterator<Item = &'r RecordedStep>,
    ) -> Self {
        let number = |key: EvidenceKey| finding.evidence.number(key).filter(|number| *number > 0);
        let period = number(EvidenceKey::PERIOD);
        // A detector remembers only the last few turns; rounds times period reaches further back.
        let steps =
            period.zip(number(EvidenceKey::ROUNDS)).map(|(period, rounds)| period.saturating_mul(rounds));
        let own_first = steps.map(|steps| (newest.own + 1).saturating_sub(steps));
        let first = before
            .chain(std::iter::once(newest))
            .filter(|row| row.agent == newest.agent)
            .find(|row| own_first.map_or(row.turn >= finding.since, |own| row.own >= own))
            .unwrap_or(newest);
        LoopBand {
            id: finding.loop_id,
            detector: finding.detector,
            pattern: finding.pattern,
            // For steps further back than those available, the finding knows when the loop started.
            from: if steps.is_some() { first.turn } else { finding.since.min(first.turn) },
            to: newest.turn,
            first: first.number,
            last: newest.number,
            own: first.own,
            agent: newest.agent,
            period,
            severity: finding.severity,
        }
    }
}

/// Limits and tasks are not loops of steps, and missing progress is shown elsewhere.
fn is_loop(finding: &Finding) -> bool {
    let other =
        matches!(finding.detector, DetectorName::Budget | DetectorName::Task | DetectorName::Stagnation);
    finding.severity >= Severity::Warn && !other
}

#[cfg(test)]
mod tests {
    use loopbreak::{Config, Guard, Step};

    use super::*;

    #[test]
    fn a_loop_is_a_stretch_from_its_first_round_until_it_is_left() {
        let (mut guard, mut bands, mut rows) =
            (Guard::new(Config::default()), LoopBands::default(), Vec::new());
        let names = ["p", "q", "r", "a", "b", "a", "b", "a", "b", "a", "b", "v", "w", "x", "y", "z"];
        for (number, name) in (0..).zip(names) {
            let line = format!(r#"{{"action":"do {name}","outcome":"{name}{name} came of it"}}"#);
            let verdict = guard.observe(&Step::from_json(&line).unwrap());
            let row = RecordedStep { number, own: number, turn: verdict.turn, ..RecordedStep::default() };
            bands.add(&verdict, &row, &rows.iter());
            rows.push(row);
        }
        let cycle = bands.all.iter().find(|band| band.detector == DetectorName::Cycle).unwrap();
        assert_eq!((cycle.from, cycle.to, cycle.period), (4, 11, Some(2)));
        let mut row = rows.swap_remove(4);
        bands.mark(&mut row);
        assert!(!row.loops.is_empty());
    }
}
