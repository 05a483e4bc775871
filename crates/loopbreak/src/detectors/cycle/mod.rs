//! `cycle`: the same actions with the same outcomes, in the same order.
//!
//! Catches: a sequence of (action, outcome) fingerprints that repeats with a period of 1 to 12. Warns at the third
//! identical call with an identical logged outcome, at the fourth without outcomes (the second full round of a longer
//! period), hard at the 8th (the fourth round). Where a score is kept, it only warns: `stagnation` ends such a run.
//! Must not catch: the same call with new content (pagination, a job that advances); a test that runs again
//! after a change; five different calls in parallel; waiting, which `poll` judges; walking, where the place
//! changes with every step. Three or more places visited in the same order are reported on the third round
//! ([`PlaceCycle`]), and only with a warning: an agent that walks the same way twice may be fetching
//! something.
//! A call after a wait counts two fifths. Actions that are logged without an outcome are also compared
//! without the ids of elements in them, which change with every load of a page. Such a round counts three
//! fifths if it types a text, and one fifth if nothing distinguishes its steps from others, such as clicks
//! through a list.
//! The rotation of a loop does not matter: A B and B A are the same loop.
//! Origin: complaints 11, 12, 15, 19, 21, 22, 24.

pub(crate) mod settings;
#[cfg(test)]
mod tests;
mod texts;

use self::settings::{CycleRun, CycleSettings};
use super::repetition::{FAINT, LONGEST, PeriodTracker, PlaceCycle, RefusedProposals, RepeatedPeriod, SOME};
use super::{
    Detection, DetectionCollector, Detector, DetectorName, DetectorSubject, DetectorTexts, LoopFamily,
    Pattern, ProposalContext, ProposalReview, StepContext, StepDetector,
};
use crate::fingerprint::{ActionKind, StepFingerprints};
use crate::memory::{HashKey, RingBuffer, WideNumber, key_of_parts, snapshot_type};
use crate::verdict::Severity;

snapshot_type! {
    /// The detector `cycle`.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(crate) struct CycleDetector {
        /// Actions with their outcomes.
        exact: PeriodTracker,
        /// Shapes of actions that are logged without an outcome.
        shapes: PeriodTracker,
        /// One bit for each of the last shapes, the newest in the lowest bit: set if an id was left out.
        masked: WideNumber<u32>,
        /// The last calls at their places, without their outcomes. A proposal is compared with these, because it
        /// has no outcome yet.
        calls: RingBuffer<HashKey, LONGEST>,
        /// Places that the agent moved to.
        circuit: PlaceCycle,
        refusals: RefusedProposals,
        /// True if the last call has a logged result.
        logged: bool,
    }
}

impl Detector for CycleDetector {
    type Settings = CycleSettings;

    const SUBJECT: DetectorSubject = DetectorSubject::Call;
    const MAY_REFUSE_CALLS: bool = true;
    const TEXTS: &'static DetectorTexts = &texts::TEXTS;

    fn reads_fingerprints(_: &Self::Settings) -> bool {
        true
    }
}

impl StepDetector for CycleDetector {
    fn observe(
        &mut self,
        context: &StepContext<'_>,
        settings: &CycleSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        if context.origin.user || context.further {
            *self = CycleDetector::default();
        }
        if context.moved && !context.step.refused {
            self.walk(context, settings, out);
        }
        let Some(prints) = context.prints else { return };
        // `poll` judges waiting, and the detectors of places judge moves. Identical calls of one message are one
        // decision.
        if prints.kind == ActionKind::Wait || context.moved || context.attempt.repeats_call {
            return;
        }
        let here = context.trail.here().unwrap_or_default();
        let call = key_of_parts(&[prints.call, here]);
        // A refused proposal is not part of the loop, because it was not carried out.
        if context.step.refused {
            if let Some((_, reason)) = self.goes_on(call, context.measured, context.scored, settings) {
                self.refusals.insist(DetectorName::Cycle, call, reason, context, out);
            }
            return;
        }
        self.calls.push(call);
        self.logged = prints.outcome.is_some();
        let run = CycleRun { measured: context.measured, scored: context.scored, logged: self.logged };
        let pair = key_of_parts(&[prints.pair, here]);
        let exact = self.exact.push(pair, context.turn, context.weight(), settings.max_period);
        let exact = exact.filter(|round| round.period > 1 || !context.is_waited_for());
        let shaped = self.push_shape(context, prints, settings);
        let exact = exact.map(|round| (round, self.exact.identity(round.period)));
        let shaped = shaped.map(|round| (round, self.shapes.identity(round.period)));
        let told = |it: &(RepeatedPeriod, HashKey)| settings.severity(it.0, run).is_some();
        let by_shape = exact.as_ref().is_none_or(|it| !told(it)) && shaped.as_ref().is_some_and(told);
        let Some((round, identity)) = exact.filter(told).or(shaped.filter(told)).or(exact) else { return };
        let evidence = out.add(Detection {
            pattern: Pattern::Cycle,
            family: LoopFamily::Action,
            identity,
            since: round.since,
            severity: settings.severity(round, run),
            stage: 0,
            count: round.times,
            requested_intervention: None,
        });
        evidence.note("period", round.period).note("rounds", round.times);
        let tracker = if by_shape { &self.shapes } else { &self.exact };
        evidence.quote("turns", &listed(&tracker.turns(round.period), round.times));
        if let Some(action) = &context.step.action {
            evidence.quote("action", &action.line());
        }
        if let Some(text) = context.step.outcome.as_ref().and_then(|outcome| outcome.text.as_deref()) {
            evidence.quote("outcome", text);
        }
    }

    fn weigh(&self, proposal: &ProposalContext<'_>, settings: &CycleSettings, review: &mut ProposalReview) {
        let destination = proposal.destination.filter(|_| !proposal.allowed);
        if let Some(round) = destination.and_then(|to| self.circuit.goes_on(to, settings.max_period)) {
            let RepeatedPeriod { period, times, .. } = round;
            let reason = format!("continues a cycle of {period} places, walked {times} times");
            review.object_to_repeat(Severity::Warn, reason);
        }
        let Some(prints) = &proposal.prints else { return };
        let call = key_of_parts(&[prints.call, proposal.from.unwrap_or_default()]);
        if let Some((severity, reason)) = self.goes_on(call, prints.measured, prints.scored, settings) {
            review.object_to_repeat(severity, reason);
        }
    }
}

impl CycleDetector {
    /// Tracks the places that the agent moves to.
    fn walk(
        &mut self,
        context: &StepContext<'_>,
        settings: &CycleSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        let Some((round, identity)) = self.circuit.walk(context, settings.max_period) else { return };
        let evidence = out.add(Detection {
            pattern: Pattern::Circuit,
            family: LoopFamily::Place,
            identity,
            since: round.since,
            severity: Some(settings.severity_of_circuit(round.times, context)),
            stage: 0,
            count: round.times,
            requested_intervention: None,
        });
        evidence.note("period", round.period).note("rounds", round.times);
        let recent = context.trail.moves().map(|stay| stay.place).collect::<Vec<_>>();
        let places = &recent[recent.len().saturating_sub(round.period as usize)..];
        let names: Vec<String> = places.iter().map(|place| context.map.name(*place)).collect();
        evidence.quote("places", &names.join(" → "));
        if let Some(action) = &context.step.action {
            evidence.quote("action", &action.line());
        }
    }

    /// Returns how bad it is to make this call and why, if it would be the next one of the current cycle.
    fn goes_on(
        &self,
        call: HashKey,
        measured: bool,
        scored: bool,
        settings: &CycleSettings,
    ) -> Option<(Severity, String)> {
        let round = self.exact.now(settings.max_period)?;
        let severity = settings.severity(round, CycleRun { measured, scored, logged: self.logged })?;
        let next = *self.calls.newest().nth(round.period as usize - 1)?;
        let RepeatedPeriod { period, times, .. } = round;
        let reason = if period == 1 {
            format!("was done {times} times in a row with the same outcome")
        } else {
            format!("is the next of {period} calls that were repeated {times} times with the same outcomes")
        };
        (next == call).then_some((severity, reason))
    }

    /// Tracks the shapes of actions that are logged without an outcome, where the ids in them carry no
    /// information.
    fn push_shape(
        &mut self,
        context: &StepContext<'_>,
        prints: &StepFingerprints<'_>,
        settings: &CycleSettings,
    ) -> Option<RepeatedPeriod> {
        let shape = prints.shape?;
        let weight = if shape.telling { SOME } else { FAINT };
        self.masked.0 = (self.masked.0 << 1) | u32::from(shape.masked);
        let round = self.shapes.push(shape.key, context.turn, weight, settings.max_period)?;
        // Without a masked id, the exact tracker finds the same round.
        (self.masked.0 & ((1 << round.period) - 1) != 0).then_some(round)
    }
}

/// Returns the turns of the last rounds as text.
fn listed(turns: &[u64], rounds: u32) -> String {
    let shown = turns.len().min(rounds as usize);
    let texts: Vec<String> = turns[turns.len() - shown..].iter().map(u64::to_string).collect();
    texts.join(", ")
}
