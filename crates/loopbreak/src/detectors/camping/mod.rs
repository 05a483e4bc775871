//! `camping`: most of the recent turns at one place.
//!
//! Catches: 5 or more of the last 10 turns at one place, in one stay or in several. A proposal that returns
//! there loses 0.6. With `penalty_growth` it loses more the more often the agent returned without progress.
//! Must not catch: a visit before the window; a proposal that leads elsewhere or to an unknown place, or is
//! not a move. An agent that works at one place may continue there.
//! Origin: document 001, mechanism 2, pattern 2.

pub(crate) mod settings;
#[cfg(test)]
mod tests;
mod texts;

use self::settings::CampingSettings;
use super::repetition::{RefusedProposals, ReturnCounts};
use super::{
    Detection, DetectionCollector, Detector, DetectorName, DetectorSubject, DetectorTexts, LoopFamily,
    Pattern, ProposalContext, ProposalReview, StepContext, StepDetector,
};
use crate::event::CampingDetected;
use crate::memory::{HashKey, key_of_parts, snapshot_type};
use crate::place::PlaceTrail;
use crate::text::quoted;
use crate::verdict::Severity;

snapshot_type! {
    /// The detector `camping`.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(crate) struct CampingDetector {
        refusals: RefusedProposals,
        returns: ReturnCounts,
    }
}

impl Detector for CampingDetector {
    type Settings = CampingSettings;

    const SUBJECT: DetectorSubject = DetectorSubject::Place;
    const IN_DOCUMENTS_PROFILE: bool = true;
    const TEXTS: &'static DetectorTexts = &texts::TEXTS;

    fn place_history(settings: &Self::Settings) -> u32 {
        // The current turn is not part of the window if the agent returned.
        settings.window.saturating_add(1)
    }
}

impl StepDetector for CampingDetector {
    fn observe(
        &mut self,
        context: &StepContext<'_>,
        settings: &CampingSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        self.refusals.observe(DetectorName::Camping, context, out);
        if context.origin.user || context.further {
            self.returns.clear();
        }
        if context.step.place.is_none() || context.step.refused {
            return;
        }
        // A step can only complete the pattern at the current place.
        let Some(here) = context.trail.here() else { return };
        // The newest place is the current one. The camp was there before the agent returned to it.
        if context.moved
            && !context.further
            && visits(context.trail, here, 1, settings.window).0 >= settings.threshold
        {
            self.returns.note(here);
        }
        let (visits, since) = visits(context.trail, here, 0, settings.window);
        if visits < settings.threshold {
            return;
        }
        let evidence = out.add(Detection {
            pattern: Pattern::Camping,
            family: LoopFamily::Place,
            identity: key_of_parts(&[here, HashKey(2)]),
            since,
            severity: Some(Severity::Warn),
            stage: 0,
            count: visits,
            requested_intervention: None,
        });
        let window = context.trail.len().min(settings.window as usize) as u32;
        let (id, name) = (context.map.id(here), context.map.name(here));
        evidence
            .note("camped_location_id", id.clone())
            .quote("camped_location_name", &name)
            .note("visit_count", visits)
            .note("window_size", window);
        if out.is_reported() {
            out.event(CampingDetected {
                episode_id: context.run.clone(),
                turn: context.turn,
                detected: true,
                camped_location_id: id,
                camped_location_name: name,
                visit_count: visits,
                window_size: window,
            });
        }
    }

    fn weigh(&self, proposal: &ProposalContext<'_>, settings: &CampingSettings, review: &mut ProposalReview) {
        let Some(destination) = proposal.destination else { return };
        let (visits, _) = visits(proposal.trail, destination, 0, settings.window);
        if visits >= settings.threshold {
            let name = quoted(&proposal.map.name(destination));
            let words = |amount: &str| format!("Camping penalty {amount} (returning to {name})");
            let (penalty, grown) = settings.growing_penalty().after(self.returns.count(destination));
            let window = settings.window;
            review.adjust(
                penalty,
                visits,
                format!("returns to {name}, where {visits} of the last {window} turns were spent{grown}"),
                Some(&words),
            );
        }
    }
}

/// Returns the number of turns at a place among `window` turns, skipping the newest `skip`, and the first of them.
fn visits(trail: &PlaceTrail, place: HashKey, skip: usize, window: u32) -> (u32, u64) {
    let stays = trail.newest().skip(skip).take(window as usize).filter(|stay| stay.place == place);
    stays.fold((0, u64::MAX), |(visits, _), stay| (visits + 1, stay.turn))
}
