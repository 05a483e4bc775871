//! Rulings on proposals: adds up the adjustments of the detectors. The adjusted score decides.

use crate::advice;
use crate::detectors::{DetectorName, ProposalContext, ProposalReview, ReviewAdjustment};
use crate::event::{Event, LocationPenaltyApplied, LoopPenaltyApplied, RunId};
use crate::evidence::redact_and_truncate;
use crate::settings::{PolicySettings, Settings};
use crate::verdict::{Intervention, ProposalHint, Ruling, ScoreAdjustment, Severity};

/// Rules on a proposal.
pub(crate) fn rule_on_proposal(
    run: &RunId,
    context: &ProposalContext<'_>,
    base: f64,
    review: &ProposalReview,
    settings: &Settings,
) -> Ruling {
    let policy = &settings.policy;
    let mut tally = ScoreTally::new(run, context, base, settings);
    let worst = worst_repeat(review);
    for (index, adjustment) in review.adjustments.iter().enumerate() {
        // A loop is penalized once, even if several detectors report it.
        let spared = adjustment.repeats.is_some() && worst != Some(index);
        tally.add(adjustment, adjustment.enforced && policy.ladder.penalize && !spared);
    }
    tally.add_summary_event();
    let ScoreTally { raw, score, lowered, adjustments, words, events, .. } = tally;
    let refused_by_critic = base < policy.accept_at;
    let below = score < policy.accept_at;
    let rejects = below && lowered && !refused_by_critic && policy.ladder.reject;
    let penalizes = lowered.then_some(Intervention::Penalize);
    let hints = if policy.ladder.hint { hints_of(review) } else { Vec::new() };
    Ruling {
        turn: context.turn,
        base,
        raw: rounded(raw, policy),
        score: rounded(score, policy),
        accept_at: policy.accept_at,
        accepted: !(rejects || refused_by_critic && below),
        intervention: if rejects { Some(Intervention::Reject) } else { penalizes },
        advice: advice::of_ruling(&adjustments, &words, &hints, settings),
        adjustments,
        hints,
        events,
    }
}

/// The score of a proposal while adjustments are added to it.
struct ScoreTally<'t> {
    run: &'t RunId,
    context: &'t ProposalContext<'t>,
    settings: &'t Settings,
    base: f64,
    raw: f64,
    score: f64,
    /// True if any adjustment lowered the score.
    lowered: bool,
    adjustments: Vec<ScoreAdjustment>,
    /// For each adjustment, its amount with the reason.
    words: Vec<String>,
    events: Vec<Event>,
}

impl<'t> ScoreTally<'t> {
    fn new(run: &'t RunId, context: &'t ProposalContext<'t>, base: f64, settings: &'t Settings) -> Self {
        let score = base.clamp(settings.policy.score_min, settings.policy.score_max);
        ScoreTally {
            run,
            context,
            settings,
            base,
            raw: base,
            score,
            lowered: false,
            adjustments: Vec::new(),
            words: Vec::new(),
            events: Vec::new(),
        }
    }

    /// Adds an adjustment. One that is not enforced is reported, but does not change the score.
    fn add(&mut self, adjustment: &ReviewAdjustment, enforced: bool) {
        let policy = &self.settings.policy;
        let mut amount = adjustment.amount;
        if enforced {
            if let (Some(severity), false) = (adjustment.repeats, self.context.scored) {
                amount = penalty_without_critic(severity, amount, self.score, self.settings);
            }
            self.raw += amount;
            self.score = (self.score + amount).clamp(policy.score_min, policy.score_max);
            self.lowered |= amount < 0.0;
            self.add_place_event(adjustment);
        }
        let (detector, reason) = (adjustment.detector, adjustment.reason.clone());
        let words = || [detector.as_str(), " ", &advice::signed(amount), " (", &reason, ")"].concat();
        self.words.push(adjustment.words.clone().unwrap_or_else(words));
        let score = rounded(self.score, policy);
        self.adjustments.push(ScoreAdjustment { detector, amount, reason, score, enforced });
    }

    /// Reports a penalty for a place that was visited recently.
    fn add_place_event(&mut self, adjustment: &ReviewAdjustment) {
        let (DetectorName::Revisit, Some(destination)) = (adjustment.detector, self.context.destination)
        else {
            return;
        };
        self.events.push(Event::from(LocationPenaltyApplied {
            episode_id: self.run.clone(),
            turn: self.context.turn,
            location_id: self.context.map.id(destination),
            location_name: self.context.map.name(destination),
            recent_visits: adjustment.visits,
            base_score: self.base,
            adjusted_score: rounded(self.score, &self.settings.policy),
            penalty: rounded(adjustment.amount, &self.settings.policy),
        }));
    }

    /// Reports all adjustments that were applied.
    fn add_summary_event(&mut self) {
        let applied = self.adjustments.iter().zip(&self.words).filter(|(adjustment, _)| adjustment.enforced);
        let reasons: Vec<&str> = applied.map(|(_, words)| words.as_str()).collect();
        if reasons.is_empty() {
            return;
        }
        self.events.push(Event::from(LoopPenaltyApplied {
            episode_id: self.run.clone(),
            turn: self.context.turn,
            action: redact_and_truncate(&self.context.spelled.line()),
            base_score: self.base,
            adjusted_score: rounded(self.score, &self.settings.policy),
            reason: reasons.join("; "),
        }));
    }
}

/// Rounds a score for people: 0.9 - 0.8 is shown as 0.1, not as 0.09999999999999998. A score that rounding would take across
/// the threshold or out of its range stays as it is, so that it always agrees with the decision.
fn rounded(score: f64, policy: &PolicySettings) -> f64 {
    const DECIMALS: f64 = 1e12;
    const LARGEST: f64 = 1000.0;
    let rounded = (score * DECIMALS).round() / DECIMALS;
    let same_side = |limit: f64| (rounded < limit) == (score < limit) && (rounded > limit) == (score > limit);
    let limits = [policy.accept_at, policy.score_min, policy.score_max];
    // The sum turns -0.0 into 0.0.
    if score.abs() <= LARGEST && limits.into_iter().all(same_side) { rounded + 0.0 } else { score }
}

fn hints_of(review: &ProposalReview) -> Vec<ProposalHint> {
    let hints = review.hints.iter().map(|(detector, pattern, evidence)| ProposalHint {
        detector: *detector,
        pattern: *pattern,
        evidence: evidence.clone(),
    });
    hints.collect()
}

/// Returns the index of the penalty for a loop of calls that is applied: the worst one, and the first of
/// several.
fn worst_repeat(review: &ProposalReview) -> Option<usize> {
    let enforced = review.adjustments.iter().enumerate().filter(|(_, adjustment)| adjustment.enforced);
    let repeats = enforced.filter_map(|(index, adjustment)| Some((index, adjustment.repeats?)));
    // `max_by_key` returns the last of several, so the order is reversed.
    repeats.rev().max_by_key(|(_, severity)| *severity).map(|(index, _)| index)
}

/// Returns the penalty of a proposal without a score for a loop of calls. There is no critic's score to weigh
/// it against, so the loop alone decides: a warning does not refuse the proposal, a hard finding does.
fn penalty_without_critic(severity: Severity, penalty: f64, score: f64, settings: &Settings) -> f64 {
    let policy = &settings.policy;
    match severity {
        Severity::Hard => policy.score_min - score,
        _ if score >= policy.accept_at => penalty.max(policy.accept_at - score),
        _ => penalty,
    }
}
