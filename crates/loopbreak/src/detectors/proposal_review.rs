//! The review of a proposal by the detectors.

use super::{DetectorName, Pattern};
use crate::advice::signed;
use crate::evidence::Evidence;
use crate::memory::HashKey;
use crate::settings::TemplateSet;
use crate::verdict::Severity;

/// A scored proposal and its review.
#[derive(Debug)]
pub(crate) struct WeighedProposal {
    /// The identity of the proposal: this action at this place.
    pub(crate) proposal: HashKey,
    pub(crate) base: f64,
    pub(crate) accept_at: f64,
    pub(crate) rejected: bool,
    pub(crate) review: ProposalReview,
}

/// Collects the objections and hints of the detectors about a proposal.
#[derive(Debug, Default)]
pub(crate) struct ProposalReview {
    pub(crate) adjustments: Vec<ReviewAdjustment>,
    pub(crate) hints: Vec<(DetectorName, Pattern, Evidence)>,
    /// The detector that is being asked, and whether it is enforced.
    pub(super) speaker: Option<(DetectorName, bool)>,
    /// The change of the score of a proposal that continues a loop of calls.
    repeat_penalty: f64,
    /// The set of texts.
    templates: TemplateSet,
}

/// One adjustment of a proposal's score.
#[derive(Debug, Clone)]
pub(crate) struct ReviewAdjustment {
    pub(crate) detector: DetectorName,
    /// True if it is applied, false if the detector only observes.
    pub(crate) enforced: bool,
    pub(crate) amount: f64,
    pub(crate) reason: String,
    /// The amount with its reason in the words of the chosen set of texts, if it has words of its own.
    pub(crate) words: Option<String>,
    /// Number of recent visits it is about.
    pub(crate) visits: u32,
    /// The severity of the loop of calls that the proposal would continue, if it is about one.
    pub(crate) repeats: Option<Severity>,
}

impl ProposalReview {
    /// Starts a review. A proposal that continues a loop of calls changes its score by `repeat_penalty`.
    pub(crate) fn new(repeat_penalty: f64, templates: TemplateSet) -> Self {
        ProposalReview { repeat_penalty, templates, ..ProposalReview::default() }
    }

    /// Changes the score. `zork_words` tells the amount with its reason in the words of the set `zork`.
    pub(crate) fn adjust(
        &mut self,
        amount: f64,
        visits: u32,
        reason: String,
        zork_words: Option<&dyn Fn(&str) -> String>,
    ) {
        if let Some((detector, enforced)) = self.speaker {
            let words = zork_words.filter(|_| self.templates == TemplateSet::Zork);
            let words = words.map(|words| words(&signed(amount)));
            let repeats = None;
            self.adjustments.push(ReviewAdjustment {
                detector,
                enforced,
                amount,
                reason,
                words,
                visits,
                repeats,
            });
        }
    }

    /// Objects that the proposal would continue a loop of calls.
    pub(crate) fn object_to_repeat(&mut self, severity: Severity, reason: String) {
        if let Some((detector, enforced)) = self.speaker {
            let (amount, repeats) = (self.repeat_penalty, Some(severity));
            self.adjustments.push(ReviewAdjustment {
                detector,
                enforced,
                amount,
                reason,
                words: None,
                visits: 0,
                repeats,
            });
        }
    }

    /// Returns the evidence of a hint with this pattern.
    pub(crate) fn hint_of(&self, pattern: Pattern) -> Option<&Evidence> {
        self.hints.iter().find(|(_, known, _)| *known == pattern).map(|(_, _, evidence)| evidence)
    }

    /// Adds a hint.
    pub(crate) fn hint(&mut self, pattern: Pattern, evidence: Evidence) {
        if let Some((detector, _)) = self.speaker {
            self.hints.push((detector, pattern, evidence));
        }
    }
}
