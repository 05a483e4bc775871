//! Rulings: what a proposal is worth after every detector was heard. The number that is adjusted is the number that
//! decides.

use serde::Serialize;

use crate::detectors::{DetectorName, Pattern, ProposalContext, ProposalReview};
use crate::event::{Event, LocationPenaltyApplied, LoopPenaltyApplied, RunId};
use crate::evidence::{Evidence, quoted};
use crate::settings::Settings;
use crate::step::{Action, Place, StepText};
use crate::verdict::{Advice, Intervention, Severity};

/// An action not yet taken.
#[derive(Clone, Debug, Default)]
pub struct Proposal<'a> {
    /// The action.
    pub action: Action<'a>,
    /// The critic's score for it; without one it starts from the highest, and is refused where it would go on with a
    /// loop that is hard, but not for one that is only warned of.
    pub score: Option<f64>,
    /// Whose proposal it is; the main agent's, if absent.
    pub agent: Option<StepText<'a>>,
    /// Where the agent is; where the guard last saw it, if absent.
    pub place: Option<Place<'a>>,
}

impl<'a> Proposal<'a> {
    /// A proposal of the main agent, with the critic's score.
    pub fn new(action: impl Into<StepText<'a>>, score: f64) -> Self {
        Proposal { action: Action::new(action), score: Some(score), ..Proposal::default() }
    }
}

/// What a proposal is worth.
#[derive(Clone, Debug, Serialize)]
pub struct Ruling {
    /// The turn the proposal is for.
    pub turn: u64,
    /// The critic's score.
    pub base: f64,
    /// What was added and taken away, in order.
    pub adjustments: Vec<ScoreAdjustment>,
    /// The plain sum.
    pub raw: f64,
    /// The result: clamped after each adjustment.
    pub score: f64,
    /// From which score on a proposal is accepted.
    pub accept_at: f64,
    /// Whether it is.
    pub accepted: bool,
    /// What Loopbreak did: `penalize`, `reject`, or nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intervention: Option<Intervention>,
    /// Words about the proposal.
    pub hints: Vec<ProposalHint>,
    /// Texts for the agent and the critic.
    pub advice: Vec<Advice>,
    /// What happened, for the log.
    pub events: Vec<Event>,
}

/// One adjustment of a proposal's score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScoreAdjustment {
    /// Whose.
    pub detector: DetectorName,
    /// How much.
    pub amount: f64,
    /// Why.
    pub reason: String,
    /// The score after it.
    pub score: f64,
    /// False where it is only told and not applied.
    #[serde(rename = "acted")]
    pub enforced: bool,
}

/// A word about a proposal.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProposalHint {
    /// Whose.
    pub detector: DetectorName,
    /// What about.
    pub pattern: Pattern,
    /// What it rests on.
    pub evidence: Evidence,
}

/// Adds up what the detectors think of a proposal.
pub(crate) fn rule(
    run: &RunId,
    proposal: &ProposalContext<'_>,
    base: f64,
    review: &ProposalReview,
    settings: &Settings,
) -> Ruling {
    let policy = &settings.policy;
    let (mut raw, mut score) = (base, base.clamp(policy.score_min, policy.score_max));
    let (mut adjustments, mut events, mut lowered) = (Vec::new(), Vec::new(), false);
    let gravest = gravest_repeat(review);
    for (index, opinion) in review.adjustments.iter().enumerate() {
        let before = score;
        // One loop is paid for once, however many detectors see it.
        let spared = opinion.repeats.is_some() && gravest != Some(index);
        let acted = opinion.acted && policy.ladder.penalize && !spared;
        let mut amount = opinion.amount;
        if acted {
            if let (Some(severity), false) = (opinion.repeats, proposal.scored) {
                amount = unscored(severity, amount, score, settings);
            }
            raw += amount;
            score = (score + amount).clamp(policy.score_min, policy.score_max);
            lowered |= amount < 0.0;
        }
        if let (true, DetectorName::Revisit, Some(destination)) =
            (acted, opinion.detector, proposal.destination)
        {
            events.push(Event::from(LocationPenaltyApplied {
                episode_id: run.clone(),
                turn: proposal.turn,
                location_id: proposal.map.id(destination),
                location_name: proposal.map.name(destination),
                recent_visits: opinion.visits,
                base_score: before,
                adjusted_score: score,
                penalty: opinion.amount,
            }));
        }
        let (detector, reason) = (opinion.detector, opinion.reason.clone());
        adjustments.push(ScoreAdjustment { detector, amount, reason, score, enforced: acted });
    }
    let applied = || adjustments.iter().filter(|adjustment| adjustment.enforced);
    if applied().next().is_some() {
        let reasons = applied().map(|a| format!("{} {:+} ({})", a.detector, a.amount, a.reason));
        events.push(Event::from(LoopPenaltyApplied {
            episode_id: run.clone(),
            turn: proposal.turn,
            action: quoted(&proposal.action.line()),
            base_score: base,
            adjusted_score: score,
            reason: reasons.collect::<Vec<_>>().join("; "),
        }));
    }
    let refused_by_critic = base < policy.accept_at;
    let below = score < policy.accept_at;
    let rejects = below && lowered && !refused_by_critic && policy.ladder.reject;
    let hints: Vec<ProposalHint> = review
        .hints
        .iter()
        .filter(|_| policy.ladder.hint)
        .map(|(detector, pattern, evidence)| ProposalHint {
            detector: *detector,
            pattern: *pattern,
            evidence: evidence.clone(),
        })
        .collect();
    Ruling {
        turn: proposal.turn,
        base,
        raw,
        score,
        accept_at: policy.accept_at,
        accepted: !(rejects || refused_by_critic && below),
        intervention: if rejects {
            Some(Intervention::Reject)
        } else {
            lowered.then_some(Intervention::Penalize)
        },
        advice: crate::advice::of_ruling(&adjustments, &hints, settings),
        adjustments,
        hints,
        events,
    }
}

/// Of the opinions about loops of actions, the one that counts: the gravest, and among equals the first.
fn gravest_repeat(review: &ProposalReview) -> Option<usize> {
    let acted = review.adjustments.iter().enumerate().filter(|(_, opinion)| opinion.acted);
    let repeats = acted.filter_map(|(index, opinion)| Some((index, opinion.repeats?)));
    // Of equals, the last is the greatest: the other way round, it is the first.
    repeats.rev().max_by_key(|(_, severity)| *severity).map(|(index, _)| index)
}

/// What a proposal that nobody scored loses to a loop of actions. There is no doubt of a critic's to weigh a penalty
/// against, so the loop alone decides: one that is only warned of does not refuse it, one that is hard does.
fn unscored(severity: Severity, penalty: f64, score: f64, settings: &Settings) -> f64 {
    let policy = &settings.policy;
    match severity {
        Severity::Hard => policy.score_min - score,
        _ if score >= policy.accept_at => penalty.max(policy.accept_at - score),
        _ => penalty,
    }
}
