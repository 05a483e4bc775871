//! `oscillation`: moves back and forth between two places.
//!
//! Catches: A B A B in the last four moves. Turns without a move are ignored. A proposal that continues the
//! pattern loses 0.8, one to a known place outside it gains 0.5. If the agent already moved back and forth
//! between two places and made no progress since, the first move back within the last moves loses 0.8 as
//! well: the pattern does not have to complete again (`remember_pairs`, off in the profile `documents`).
//! With `penalty_growth` a return costs more the more returns there were without progress.
//! Without a score and a critic, 12 rounds are hard: nothing else would end such a run.
//! Must not catch: A B A C, one way there and back, a walk through new rooms. A proposal whose destination is
//! unknown is neither penalized nor rewarded.
//! Origin: document 001, mechanism 2, pattern 1.

pub(crate) mod settings;
#[cfg(test)]
mod tests;
mod texts;

use self::settings::OscillationSettings;
use super::repetition::{RefusedProposals, ReturnCounts};
use super::{
    Detection, DetectionCollector, Detector, DetectorName, DetectorSubject, DetectorTexts, LoopFamily,
    Pattern, ProposalContext, ProposalReview, StepContext, StepDetector,
};
use crate::event::OscillationDetected;
use crate::evidence::{Evidence, EvidenceKey};
use crate::memory::{HashKey, RingBuffer, key_of_parts, snapshot_type};
use crate::place::PlaceTrail;
use crate::text::{quoted, quoted_list};
use crate::verdict::Severity;

snapshot_type! {
    /// The detector `oscillation`.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(crate) struct OscillationDetector {
        /// Pairs of places between which the agent moved back and forth since its last progress.
        known: RingBuffer<HashKey, PAIRS>,
        refusals: RefusedProposals,
        returns: ReturnCounts,
    }
}

/// Number of previous moves. A move to a place among them is a move back.
const BACK: usize = 3;

/// Number of pairs of places that are remembered.
const PAIRS: usize = 8;

fn pair(a: HashKey, b: HashKey) -> HashKey {
    key_of_parts(&[a.min(b), a.max(b)])
}

impl Detector for OscillationDetector {
    type Settings = OscillationSettings;

    const SUBJECT: DetectorSubject = DetectorSubject::Place;
    const IN_DOCUMENTS_PROFILE: bool = true;
    const TEXTS: &'static DetectorTexts = &texts::TEXTS;

    fn label(evidence: &Evidence) -> Option<String> {
        evidence.texts(EvidenceKey::PATTERN_NAMES).map(|names| quoted_list(names, " → "))
    }
}

impl OscillationDetector {
    /// Returns the pair of places whose pattern the last move continued or began again, if `weigh` would have penalized it.
    fn continued_pair(&self, trail: &PlaceTrail, settings: &OscillationSettings) -> Option<HashKey> {
        let mut moves = trail.moves().map(|stay| stay.place).rev();
        let (here, from) = (moves.next()?, moves.next()?);
        // The first A B A B only completes the pattern.
        let continues = trail.alternations() > 2;
        let begins_again = || settings.remember_pairs && moves.take(BACK).any(|place| place == here);
        let pair = pair(from, here);
        ((continues || begins_again()) && self.known.iter().any(|known| *known == pair)).then_some(pair)
    }
}

impl StepDetector for OscillationDetector {
    fn observe(
        &mut self,
        context: &StepContext<'_>,
        settings: &OscillationSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        self.refusals.observe(DetectorName::Oscillation, context, out);
        if context.origin.user || context.further {
            self.known = RingBuffer::default();
            self.returns.clear();
        }
        // Each further move continues the pattern. Staying at a place does not.
        if !context.moved {
            return;
        }
        if let Some(pair) = self.continued_pair(context.trail, settings) {
            self.returns.note(pair);
        }
        let Some(([a, b], since)) = context.trail.oscillation() else { return };
        let count = context.trail.alternations();
        // A round is a move there and one back.
        let hard = settings.hard_at > 0 && count >= 2 * settings.hard_at && context.is_unguided();
        let severity = if hard { Severity::Hard } else { Severity::Warn };
        let identity = pair(a, b);
        self.known.retain(|known| *known != identity);
        self.known.push(identity);
        let evidence = out.add(Detection {
            pattern: Pattern::Oscillation,
            family: LoopFamily::Place,
            identity,
            since,
            severity: Some(severity),
            stage: 0,
            count,
            requested_intervention: None,
        });
        let (ids, names) =
            ([context.map.id(a), context.map.id(b)], [context.map.name(a), context.map.name(b)]);
        evidence.note("pattern_ids", ids.to_vec()).note("pattern_names", names.to_vec());
        if out.is_reported() {
            out.event(OscillationDetected {
                episode_id: context.run.clone(),
                turn: context.turn,
                detected: true,
                pattern_ids: ids.to_vec(),
                pattern_names: names.to_vec(),
                recent_locations: context.trail.moves().map(|stay| context.map.id(stay.place)).collect(),
            });
        }
    }

    fn weigh(
        &self,
        proposal: &ProposalContext<'_>,
        settings: &OscillationSettings,
        review: &mut ProposalReview,
    ) {
        let Some(destination) = proposal.destination else { return };
        let Some(([a, b], _)) = proposal.trail.oscillation() else {
            let mut moves = proposal.trail.moves().map(|stay| stay.place).rev();
            if settings.remember_pairs
                && let Some(here) = moves.next()
                && moves.take(BACK).any(|place| place == destination)
                && self.known.iter().any(|known| *known == pair(here, destination))
            {
                let (penalty, grown) =
                    settings.growing_penalty().after(self.returns.count(pair(here, destination)));
                let [here, there] = [here, destination].map(|place| quoted(&proposal.map.name(place)));
                let words =
                    |amount: &str| format!("Oscillation penalty {amount} (pattern: {there} → {here})");
                review.adjust(penalty, 0, format!("begins {there} → {here} again{grown}"), Some(&words));
            }
            return;
        };
        let names = [a, b].map(|place| proposal.map.name(place));
        let names = quoted_list(names.iter().map(String::as_str), " → ");
        if destination == a || destination == b {
            let (penalty, grown) = settings.growing_penalty().after(self.returns.count(pair(a, b)));
            let words = |amount: &str| format!("Oscillation penalty {amount} (pattern: {names})");
            review.adjust(penalty, 0, format!("continues {names}{grown}"), Some(&words));
        } else {
            let words = |amount: &str| format!("Exploration bonus {}", amount.trim_start_matches('+'));
            review.adjust(settings.exploration_bonus, 0, format!("leaves {names}"), Some(&words));
        }
    }
}
