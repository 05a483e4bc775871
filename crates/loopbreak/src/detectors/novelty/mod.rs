//! `novelty`: a proposal that was made recently, and exits that were not tried.
//!
//! Catches: a proposed action among the last 15 (trimmed, lower case), and a place with unexplored exits.
//! Both are only hints, and only for proposals: an agent that acts without proposing is not disturbed.
//! Must not catch: an action that a rule of the user allows.
//! Origin: document 000, phase 1C.

pub(crate) mod settings;
mod texts;

use self::settings::NoveltySettings;
use super::{
    Detection, DetectionCollector, Detector, DetectorSubject, DetectorTexts, LoopFamily, Pattern,
    ProposalContext, ProposalReview, StepContext, StepDetector,
};
use crate::evidence::{Evidence, EvidenceKey};
use crate::memory::{HashKey, RingBuffer, key_of_lower, key_of_parts, snapshot_type};
use crate::step::{Action, ActionArgs};
use crate::verdict::Severity;

/// Largest window that the settings allow.
const LARGEST_WINDOW: usize = 50;

snapshot_type! {
    /// The detector `novelty`.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(crate) struct NoveltyDetector {
        actions: RingBuffer<(HashKey, u64), LARGEST_WINDOW>,
    }
}

impl Detector for NoveltyDetector {
    type Settings = NoveltySettings;

    const SUBJECT: DetectorSubject = DetectorSubject::Proposal;
    const IN_DOCUMENTS_PROFILE: bool = true;
    const TEXTS: &'static DetectorTexts = &texts::TEXTS;
}

impl StepDetector for NoveltyDetector {
    fn observe(
        &mut self,
        context: &StepContext<'_>,
        settings: &NoveltySettings,
        out: &mut DetectionCollector<'_>,
    ) {
        // Exits that were not tried are part of the ruling. On their own they are not a sign of a loop.
        let repeated = context
            .weighed
            .and_then(|weighed| Some((weighed, weighed.review.hint_of(Pattern::RepeatedAction)?)));
        if let Some((weighed, known)) = repeated {
            let since = known.number(EvidenceKey::LAST_TURN).unwrap_or(context.turn);
            let evidence = out.add(Detection {
                pattern: Pattern::RepeatedAction,
                family: LoopFamily::Action,
                identity: weighed.proposal,
                since,
                severity: Some(Severity::Hint),
                stage: 0,
                count: 1,
                requested_intervention: None,
            });
            *evidence = known.clone();
        }
        if let Some(action) = context.action {
            let tool = context.prints.map_or_else(|| key_of_lower(&action.name), |prints| prints.tool);
            self.actions.push_within((key(action, tool), context.turn), settings.window as usize);
        }
    }

    fn weigh(&self, proposal: &ProposalContext<'_>, settings: &NoveltySettings, review: &mut ProposalReview) {
        let proposed = key(proposal.action, key_of_lower(&proposal.action.name));
        if !proposal.allowed
            && let Some((_, turn)) = self.actions.newest().find(|(action, _)| *action == proposed)
        {
            let mut evidence = Evidence::default();
            evidence.quote("action", &proposal.spelled.line()).note("last_turn", *turn);
            review.hint(Pattern::RepeatedAction, evidence);
        }
        let unexplored =
            proposal.from.filter(|_| settings.unexplored_exits).map(|from| proposal.map.unexplored(from));
        if let Some(exits) = unexplored.filter(|exits| !exits.is_empty()) {
            let mut evidence = Evidence::default();
            evidence.note("exits", exits);
            review.hint(Pattern::UnexploredExits, evidence);
        }
    }
}

/// Returns the key of an action. `tool` is the key of its name.
fn key(action: &Action<'_>, tool: HashKey) -> HashKey {
    let args = action.args.as_ref().map(ActionArgs::as_text);
    key_of_parts(&[tool, key_of_lower(args.as_deref().unwrap_or_default())])
}
