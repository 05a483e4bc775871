//! The loops of a run as bands.

use loopbreak::detectors::DetectorSubject;
use loopbreak::evidence::EvidenceKey;
use loopbreak::verdict::LoopId;
use loopbreak::{DetectorName, Finding, Pattern, Severity, Verdict};
use serde::{Deserialize, Serialize};

use super::recorded_step::RecordedStep;
use super::visible_text::visible_text;
use crate::json_number::plain_option;
use crate::named_fields;
use crate::statistics::{SpendTotal, StepSpend};

/// A loop that is not seen for this number of steps has ended.
const PAUSE: u64 = 4;
/// Maximum number of bands per run.
const BANDS: usize = 80;
/// Maximum length of the reason that is kept, in bytes.
const REASON: usize = 160;

/// One stretch of one loop.
#[derive(Debug, Serialize, Deserialize)]
pub struct LoopBand {
    #[serde(rename = "d")]
    detector: DetectorName,
    #[serde(rename = "p")]
    pattern: Pattern,
    /// Its first and its last turn.
    #[serde(rename = "f")]
    from: u64,
    #[serde(rename = "t")]
    to: u64,
    /// The number of its first step among those of its agent.
    #[serde(rename = "i")]
    own: u64,
    /// Number of steps per round, if known.
    #[serde(rename = "r", default, skip_serializing_if = "Option::is_none")]
    period: Option<u64>,
    #[serde(rename = "s")]
    severity: Severity,
    /// Number of steps of its agent from the first to the last.
    #[serde(rename = "c")]
    steps: u64,
    /// Their cost in US dollars, if it is known.
    #[serde(rename = "m", default, skip_serializing_if = "Option::is_none", serialize_with = "plain_option")]
    cost_usd: Option<f64>,
    /// Their tokens.
    #[serde(rename = "q", default, skip_serializing_if = "is_zero")]
    tokens: u64,
    /// The loop began before the steps that were still available when it was found, so steps, tokens and cost are too low.
    #[serde(rename = "u", default, skip_serializing_if = "std::ops::Not::not")]
    is_partial: bool,
    /// The reason of its last finding.
    #[serde(rename = "y")]
    reason: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Steps, tokens and cost of a part of a band.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct BandCost {
    steps: u64,
    tokens: u64,
    spend: StepSpend,
}

impl BandCost {
    fn add(&mut self, row: &RecordedStep) {
        self.steps += u64::from(!row.refused);
        self.tokens = self.tokens.saturating_add(row.tokens);
        if let Some(spend) = &row.spend {
            self.spend.merge(spend);
        }
    }

    fn merge(&mut self, other: &BandCost) {
        self.steps += other.steps;
        self.tokens = self.tokens.saturating_add(other.tokens);
        self.spend.merge(&other.spend);
    }
}

/// A band of a run that continues.
#[derive(Debug, Serialize, Deserialize)]
struct TrackedBand {
    band: LoopBand,
    id: LoopId,
    agent: usize,
    /// The numbers of its first and last step among all records.
    first: u64,
    last: u64,
    /// The cost up to the last step, and that of the steps of its agent since then.
    cost: BandCost,
    pending: BandCost,
}

/// The loops of a run so far.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct LoopBands {
    #[serde(with = "named_fields")]
    all: Vec<TrackedBand>,
    pub(super) left_out: u64,
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
        for tracked in self.all.iter_mut().filter(|tracked| tracked.is_open(newest)) {
            tracked.pass(newest);
        }
        for finding in verdict.findings.iter().filter(|finding| is_loop(finding)) {
            let open = |tracked: &&mut TrackedBand| tracked.id == finding.loop_id && tracked.is_open(newest);
            if let Some(tracked) = self.all.iter_mut().rev().find(open) {
                tracked.band.severity = tracked.band.severity.max(finding.severity);
                tracked.band.reason = visible_text(finding.reason(), REASON);
                tracked.extend(newest);
                continue;
            }
            if self.all.len() == BANDS {
                self.left_out += 1;
                continue;
            }
            let tracked = TrackedBand::new(finding, newest, before.clone());
            since = Some(since.unwrap_or(tracked.first).min(tracked.first));
            self.all.push(tracked);
        }
        for tracked in self.all.iter_mut().filter(|tracked| tracked.is_open(newest)) {
            if verdict.sighted.contains(&tracked.id) {
                tracked.extend(newest);
            }
        }
        since
    }

    /// Adds the loops that a step belongs to. Those with rounds come first, because they are the most
    /// informative.
    pub(super) fn mark(&self, row: &mut RecordedStep) {
        let inside = |tracked: &TrackedBand| {
            (tracked.first..=tracked.last).contains(&row.number)
                && (tracked.agent == row.agent || tracked.band.period.is_none())
        };
        let (mut all, mut without) = (Vec::new(), Vec::new());
        for (index, tracked) in self.all.iter().enumerate().filter(|(_, tracked)| inside(tracked)) {
            if tracked.band.period.is_some() { all.push(index) } else { without.push(index) }
        }
        all.into_iter().chain(without).for_each(|band| row.add_loop(band));
    }

    /// Returns all bands, each with its part of the cost of the run.
    pub(super) fn into_all(self, total: &SpendTotal) -> Vec<LoopBand> {
        self.all.into_iter().map(|tracked| tracked.finish(total)).collect()
    }
}

impl TrackedBand {
    fn new<'r>(
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
        let is_inside =
            |row: &RecordedStep| own_first.map_or(row.turn >= finding.since, |own| row.own >= own);
        let mut inside = before
            .chain(std::iter::once(newest))
            .filter(|row| row.agent == newest.agent)
            .skip_while(|row| !is_inside(row))
            .peekable();
        let first = inside.peek().copied().unwrap_or(newest);
        let mut cost = BandCost::default();
        inside.for_each(|row| cost.add(row));
        // For steps further back than those available, the finding has the start of the loop.
        let from = if steps.is_some() { first.turn } else { finding.since.min(first.turn) };
        let band = LoopBand {
            detector: finding.detector,
            pattern: finding.pattern,
            from,
            to: newest.turn,
            own: first.own,
            period,
            severity: finding.severity,
            steps: 0,
            cost_usd: None,
            tokens: 0,
            is_partial: from < first.turn && first.own > 0,
            reason: visible_text(finding.reason(), REASON),
        };
        let (first, last) = (first.number, newest.number);
        let (id, agent, pending) = (finding.loop_id, newest.agent, BandCost::default());
        TrackedBand { band, id, agent, first, last, cost, pending }
    }

    fn finish(self, total: &SpendTotal) -> LoopBand {
        let BandCost { steps, tokens, spend } = self.cost;
        LoopBand { steps, tokens, cost_usd: total.priced_part_usd(&spend), ..self.band }
    }

    /// Returns whether the band may still continue at the newest step.
    fn is_open(&self, newest: &RecordedStep) -> bool {
        newest.number <= self.last + PAUSE
    }

    /// Counts a step that may turn out to be part of the band.
    fn pass(&mut self, newest: &RecordedStep) {
        if newest.agent == self.agent {
            self.pending.add(newest);
        }
    }

    /// Makes the newest step the last one of the band.
    fn extend(&mut self, newest: &RecordedStep) {
        (self.band.to, self.last) = (newest.turn, newest.number);
        self.cost.merge(&std::mem::take(&mut self.pending));
    }
}

/// Limits and tasks are not loops of steps, and missing progress is shown elsewhere.
fn is_loop(finding: &Finding) -> bool {
    let subject = finding.detector.subject();
    finding.severity >= Severity::Warn && subject.can_be_left() && subject != DetectorSubject::Progress
}

#[cfg(test)]
mod tests {
    use loopbreak::{Config, Guard, Step};

    use super::*;
    use crate::prices::StepCost;

    #[test]
    fn a_band_lasts_from_the_first_round_until_the_loop_is_left() {
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
        let cycle = bands
            .all
            .iter()
            .map(|tracked| &tracked.band)
            .find(|band| band.detector == DetectorName::Cycle)
            .unwrap();
        assert_eq!((cycle.from, cycle.to, cycle.period), (4, 11, Some(2)));
        assert!(!cycle.is_partial);
        let mut row = rows.swap_remove(4);
        bands.mark(&mut row);
        assert!(!row.loops.is_empty());
    }

    #[test]
    fn a_band_has_the_cost_of_the_steps_from_its_first_to_its_last() {
        let (mut guard, mut bands, mut rows) =
            (Guard::new(Config::default()), LoopBands::default(), Vec::new());
        let mut all = StepSpend::default();
        for number in 0..20_u64 {
            let name = if number < 8 { format!("go {number}") } else { "do it again".to_owned() };
            let line = format!(r#"{{"action":"{name}","outcome":"{name} came of it"}}"#);
            let verdict = guard.observe(&Step::from_json(&line).unwrap());
            let cost = StepCost { stated: Some(0.5), estimated: None, tokens: 10 };
            all.add(&cost);
            let mut spend = StepSpend::default();
            spend.add(&cost);
            let row = RecordedStep {
                number,
                own: number,
                turn: verdict.turn,
                spend: Some(spend),
                tokens: cost.tokens,
                ..RecordedStep::default()
            };
            bands.add(&verdict, &row, &rows.iter());
            rows.push(row);
        }
        let bands = bands.into_all(&all.finish());
        let cycle = bands.iter().find(|band| band.detector == DetectorName::Cycle).unwrap();
        assert_eq!((cycle.from, cycle.to, cycle.steps), (9, 20, 12));
        assert_eq!((cycle.tokens, cycle.cost_usd), (120, Some(6.0)));
    }
}
