//! `revisit`: the agent returned to a recently visited place, or again and again to one that leads nowhere.
//!
//! Catches: a return to a place of the last few turns. For a proposal: a move whose known destination is one
//! of the last few places (−0.2 per visit, at most −0.6). Also a dead end: the eighth visit to a place where no
//! progress was ever made, neither there nor within ten turns of leaving it (off in the profile `documents`).
//! Must not catch: staying at one place; a move whose destination is unknown; anything that is not a move; a
//! place that was left before the window, which is legitimate backtracking. No dead end is a place that led to progress or,
//! lately, to a new place, such as a hub or a corridor; any place of a run that reports no progress; one of two places
//! between which the agent moves back and forth, which `oscillation` reports. A finding is only ever a hint, and a dead end
//! is mentioned once. Only the score of a proposal changes, and never because of a dead end.
//! Origin: document 000, phase 1B. Mistakes 1 and 2: there the penalty applied to the current room. Dead ends: phase 2B.

#[cfg(test)]
mod dead_end_tests;
mod dead_end_tracker;
pub(crate) mod settings;
#[cfg(test)]
mod tests;
mod texts;

use self::dead_end_tracker::{DeadEnd, DeadEndTracker};
use self::settings::RevisitSettings;
use super::repetition::RefusedProposals;
use super::{
    Detection, DetectionCollector, Detector, DetectorName, DetectorSubject, DetectorTexts, LoopFamily,
    Pattern, ProposalContext, ProposalReview, StepContext, StepDetector,
};
use crate::memory::{HashKey, key_of_parts, snapshot_type};
use crate::place::PlaceTrail;
use crate::text::quoted;
use crate::verdict::Severity;

snapshot_type! {
    /// The detector `revisit`.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(crate) struct RevisitDetector {
        refusals: RefusedProposals,
        dead_ends: DeadEndTracker,
    }
}

impl Detector for RevisitDetector {
    type Settings = RevisitSettings;

    const SUBJECT: DetectorSubject = DetectorSubject::Place;
    const IN_DOCUMENTS_PROFILE: bool = true;
    const TEXTS: &'static DetectorTexts = &texts::TEXTS;

    fn place_history(settings: &Self::Settings) -> u32 {
        settings.history.max(settings.dead_end_reach)
    }
}

impl StepDetector for RevisitDetector {
    fn observe(
        &mut self,
        context: &StepContext<'_>,
        settings: &RevisitSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        self.refusals.observe(DetectorName::Revisit, context, out);
        let Some(here) = context.trail.here() else { return };
        if settings.dead_end_at > 0
            && let Some(dead_end) = self.dead_ends.observe(context, settings)
        {
            report_dead_end(&dead_end, here, context, settings, out);
        }
        // An agent that stays at a place does not return to it.
        if !context.moved {
            return;
        }
        // The newest place is the current one. The window lies before it.
        let (visits, since) = visits(context.trail, here, 1, settings.window);
        if visits == 0 {
            return;
        }
        let evidence = out.add(Detection {
            pattern: Pattern::Revisit,
            family: LoopFamily::Place,
            identity: key_of_parts(&[here, HashKey(1)]),
            since,
            severity: Some(Severity::Hint),
            stage: 0,
            count: visits,
            requested_intervention: None,
        });
        evidence
            .note("location_id", context.map.id(here))
            .quote("location_name", &context.map.name(here))
            .note("recent_visits", visits);
    }

    fn weigh(&self, proposal: &ProposalContext<'_>, settings: &RevisitSettings, review: &mut ProposalReview) {
        let Some(destination) = proposal.destination else { return };
        let (visits, _) = visits(proposal.trail, destination, 0, settings.window);
        if visits > 0 {
            // The cap applies to several visits. A single visit costs the full `penalty`.
            let cap = settings.max_penalty.min(settings.penalty);
            let penalty = (settings.penalty * f64::from(visits)).max(cap);
            let name = quoted(&proposal.map.name(destination));
            let times = if visits == 1 { "visited once" } else { &format!("visited {visits} times") };
            review.adjust(
                penalty,
                visits,
                format!("leads back to {name}, {times} in the last {} turns", settings.window),
                None,
            );
        }
    }
}

/// Reports a dead end. It is not a loop of places that other findings belong to.
fn report_dead_end(
    dead_end: &DeadEnd,
    here: HashKey,
    context: &StepContext<'_>,
    settings: &RevisitSettings,
    out: &mut DetectionCollector<'_>,
) {
    let detection = Detection {
        pattern: Pattern::DeadEnd,
        family: LoopFamily::Progress,
        identity: key_of_parts(&[here, HashKey(3)]),
        since: dead_end.since,
        severity: Some(Severity::Hint),
        stage: 0,
        count: dead_end.visits,
        requested_intervention: None,
    };
    // The tracker mentions a place once, so it is news each time.
    out.add_as(detection, true)
        .note("location_id", context.map.id(here))
        .quote("location_name", &context.map.name(here))
        .note("visits", dead_end.visits)
        .note("reach", settings.dead_end_reach);
}

/// Returns the number of visits to a place among `window` places, skipping the newest `skip`, and the turn of
/// the first visit.
fn visits(trail: &PlaceTrail, place: HashKey, skip: usize, window: u32) -> (u32, u64) {
    let stays = trail.newest().skip(skip).take(window as usize).filter(|stay| stay.place == place);
    stays.fold((0, u64::MAX), |(visits, _), stay| (visits + 1, stay.turn))
}
