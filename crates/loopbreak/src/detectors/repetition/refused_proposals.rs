//! Refused proposals: the first refusal gives a warning, a repeated one is hard.

use crate::detectors::{Detection, DetectionCollector, DetectorName, LoopFamily, Pattern, StepContext};
use crate::evidence::whole_or_float;
use crate::memory::{HashKey, RingBuffer, key_of_parts, snapshot_type};
use crate::verdict::{Intervention, Severity};

/// Number of refused proposals that are remembered, and for how many turns.
const REMEMBERED: usize = 4;
const TURNS: u64 = 20;

snapshot_type! {
    /// The proposals that were recently refused because of one detector's penalty.
    #[derive(Clone, Debug, Default)]
    pub(crate) struct RefusedProposals(RingBuffer<(HashKey, u64), REMEMBERED>);
}

impl RefusedProposals {
    /// Reports a proposal whose score falls below the threshold by this detector's own penalty. Other
    /// penalties are left out, so that the finding does not depend on other detectors.
    pub(crate) fn observe(
        &mut self,
        detector: DetectorName,
        context: &StepContext<'_>,
        out: &mut DetectionCollector<'_>,
    ) {
        let Some(weighed) = context.weighed else { return };
        let Some(opinion) = weighed.review.adjustments.iter().find(|opinion| opinion.detector == detector)
        else {
            return;
        };
        if weighed.base < weighed.accept_at || weighed.base + opinion.amount >= weighed.accept_at {
            return;
        }
        let (since, repeated) = self.note(weighed.proposal, context.turn);
        let evidence = out.add(Detection {
            pattern: Pattern::RefusedReturn,
            family: LoopFamily::Proposal,
            identity: key_of_parts(&[weighed.proposal, HashKey(number_of(detector))]),
            since,
            severity: Some(if repeated { Severity::Hard } else { Severity::Warn }),
            stage: 0,
            count: 1 + u32::from(repeated),
            requested_intervention: Some(if weighed.rejected {
                Intervention::Reject
            } else {
                Intervention::Penalize
            }),
        });
        evidence
            .note("base_score", whole_or_float(weighed.base))
            .note("penalty", opinion.amount)
            .note("reason", opinion.reason.as_str());
        if let Some(action) = &context.step.action {
            evidence.quote("action", &action.line());
        }
    }

    /// Reports a refused proposal that would have continued a loop the detector knows.
    pub(crate) fn insist(
        &mut self,
        detector: DetectorName,
        call: HashKey,
        reason: String,
        context: &StepContext<'_>,
        out: &mut DetectionCollector<'_>,
    ) {
        let (since, repeated) = self.note(call, context.turn);
        // An agent that insists on refused calls is stopped: refusing it for ever leads nowhere.
        let (stage, requested) =
            if context.insists { (1, Intervention::Stop) } else { (0, Intervention::Reject) };
        let evidence = out.add(Detection {
            pattern: Pattern::RefusedRepeat,
            family: LoopFamily::Proposal,
            identity: key_of_parts(&[call, HashKey(number_of(detector))]),
            since,
            severity: Some(if repeated || context.insists { Severity::Hard } else { Severity::Warn }),
            stage,
            count: 1 + u32::from(repeated),
            requested_intervention: Some(requested),
        });
        evidence.note("reason", reason);
        if let Some(action) = &context.step.action {
            evidence.quote("action", &action.line());
        }
    }

    /// Records a refusal. Returns the turn since which the proposal is refused, and whether it was refused
    /// recently.
    fn note(&mut self, proposal: HashKey, turn: u64) -> (u64, bool) {
        let lately = |(known, at): &&(HashKey, u64)| *known == proposal && at.saturating_add(TURNS) >= turn;
        let before = self.0.newest().find(lately).map(|(_, at)| *at);
        self.0.push((proposal, turn));
        (before.unwrap_or(turn), before.is_some())
    }
}

/// Returns the number that distinguishes the refusals of one detector from those of another. It is part of
/// loop ids, so it must not change.
fn number_of(detector: DetectorName) -> u64 {
    match detector {
        DetectorName::Recurrence => 4,
        DetectorName::Oscillation => 6,
        DetectorName::Camping => 7,
        DetectorName::Revisit => 8,
        DetectorName::Cycle => 12,
        DetectorName::FailingTarget => 13,
        DetectorName::SideEffect => 14,
        // Others refuse no proposals.
        _ => 18,
    }
}
