//! Rules on proposals: adds up what the detectors think. The score that is adjusted is the score that decides.

use crate::advice;
use crate::config::Settings;
use crate::detect::{Bid, DetectorName, Draft, Opinion};
use crate::event::{Event, LocationPenaltyApplied, LoopPenaltyApplied, RunId};
use crate::evidence::redact_and_truncate;
use crate::verdict::{Intervention, ProposalHint, Ruling, ScoreAdjustment, Severity};

/// Rules on a proposal.
pub(crate) fn rule_on_proposal(
    run: &RunId,
    bid: &Bid<'_>,
    base: f64,
    draft: &Draft,
    settings: &Settings,
) -> Ruling {
    let policy = &settings.policy;
    let mut tally = ScoreTally::new(run, bid, base, settings);
    let worst = worst_repeat(draft);
    for (index, opinion) in draft.adjustments.iter().enumerate() {
        // A loop is penalized once, even if several detectors see it.
        let spared = opinion.repeats.is_some() && worst != Some(index);
        tally.add(opinion, opinion.acted && policy.ladder.penalize && !spared);
    }
    tally.add_summary_event();
    let ScoreTally { raw, score, lowered, adjustments, events, .. } = tally;
    let refused_by_critic = base < policy.accept_at;
    let below = score < policy.accept_at;
    let rejects = below && lowered && !refused_by_critic && policy.ladder.reject;
    let penalizes = lowered.then_some(Intervention::Penalize);
    let hints = if policy.ladder.hint { hints_of(draft) } else { Vec::new() };
    Ruling {
        turn: bid.turn,
        base,
        raw,
        score,
        accept_at: policy.accept_at,
        accepted: !(rejects || refused_by_critic && below),
        intervention: if rejects { Some(Intervention::Reject) } else { penalizes },
        advice: advice::of_ruling(&adjustments, &hints, settings),
        adjustments,
        hints,
        events,
    }
}

/// The score of a proposal while adjustments are added to it.
struct ScoreTally<'t> {
    run: &'t RunId,
    bid: &'t Bid<'t>,
    settings: &'t Settings,
    base: f64,
    raw: f64,
    score: f64,
    /// Whether any adjustment lowered the score.
    lowered: bool,
    adjustments: Vec<ScoreAdjustment>,
    events: Vec<Event>,
}

impl<'t> ScoreTally<'t> {
    fn new(run: &'t RunId, bid: &'t Bid<'t>, base: f64, settings: &'t Settings) -> Self {
        let score = base.clamp(settings.policy.score_min, settings.policy.score_max);
        let (adjustments, events) = (Vec::new(), Vec::new());
        ScoreTally { run, bid, settings, base, raw: base, score, lowered: false, adjustments, events }
    }

    /// Adds an adjustment. One that is not enforced is reported, but does not change the score.
    fn add(&mut self, opinion: &Opinion, enforced: bool) {
        let policy = &self.settings.policy;
        let before = self.score;
        let mut amount = opinion.amount;
        if enforced {
            if let (Some(severity), false) = (opinion.repeats, self.bid.scored) {
                amount = penalty_without_critic(severity, amount, self.score, self.settings);
            }
            self.raw += amount;
            self.score = (self.score + amount).clamp(policy.score_min, policy.score_max);
            self.lowered |= amount < 0.0;
            self.add_place_event(opinion, before);
        }
        let (detector, reason, score) = (opinion.detector, opinion.reason.clone(), self.score);
        self.adjustments.push(ScoreAdjustment { detector, amount, reason, score, enforced });
    }

    /// Reports a penalty for a place that was visited recently.
    fn add_place_event(&mut self, opinion: &Opinion, before: f64) {
        let (DetectorName::Revisit, Some(destination)) = (opinion.detector, self.bid.destination) else {
            return;
        };
        self.events.push(Event::from(LocationPenaltyApplied {
            episode_id: self.run.clone(),
            turn: self.bid.turn,
            location_id: self.bid.map.id(destination),
            location_name: self.bid.map.name(destination),
            recent_visits: opinion.visits,
            base_score: before,
            adjusted_score: self.score,
            penalty: opinion.amount,
        }));
    }

    /// Reports all adjustments that were applied.
    fn add_summary_event(&mut self) {
        let applied = self.adjustments.iter().filter(|adjustment| adjustment.enforced);
        let reasons: Vec<String> =
            applied.map(|one| format!("{} {:+} ({})", one.detector, one.amount, one.reason)).collect();
        if reasons.is_empty() {
            return;
        }
        self.events.push(Event::from(LoopPenaltyApplied {
            episode_id: self.run.clone(),
            turn: self.bid.turn,
            action: redact_and_truncate(&self.bid.action.line()),
            base_score: self.base,
            adjusted_score: self.score,
            reason: reasons.join("; "),
        }));
    }
}

fn hints_of(draft: &Draft) -> Vec<ProposalHint> {
    let hints = draft.hints.iter().map(|(detector, pattern, evidence)| ProposalHint {
        detector: *detector,
        pattern: *pattern,
        evidence: evidence.clone(),
    });
    hints.collect()
}

/// Returns the position of the penalty for a loop of actions that counts: the worst one, and of several the first.
fn worst_repeat(draft: &Draft) -> Option<usize> {
    let enforced = draft.adjustments.iter().enumerate().filter(|(_, opinion)| opinion.acted);
    let repeats = enforced.filter_map(|(index, opinion)| Some((index, opinion.repeats?)));
    // `max_by_key` returns the last of several, so the order is reversed.
    repeats.rev().max_by_key(|(_, severity)| *severity).map(|(index, _)| index)
}

/// Returns what a proposal without a score loses to a loop of actions. There is no doubt of a critic to weigh the
/// penalty against, so the loop alone decides: a warning does not refuse the proposal, a hard finding does.
fn penalty_without_critic(severity: Severity, penalty: f64, score: f64, settings: &Settings) -> f64 {
    let policy = &settings.policy;
    match severity {
        Severity::Hard => policy.score_min - score,
        _ if score >= policy.accept_at => penalty.max(policy.accept_at - score),
        _ => penalty,
    }
}
