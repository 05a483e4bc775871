//! Rulings: what a proposal is worth after every detector was heard. The number that is adjusted is the number that
//! decides.

use serde::Serialize;

use crate::config::Settings;
use crate::detect::{Bid, DetectorName, Draft};
use crate::event::{Event, LocationPenaltyApplied, LoopPenaltyApplied, RunId};
use crate::evidence::{Evidence, quoted};
use crate::step::{Action, Place, Text};
use crate::verdict::{Advice, Intervention};

/// An action not yet taken.
#[derive(Clone, Debug, Default)]
pub struct Proposal<'a> {
    /// The action.
    pub action: Action<'a>,
    /// The critic's score for it; without one it starts from the highest.
    pub score: Option<f64>,
    /// Whose proposal it is; the main agent's, if absent.
    pub agent: Option<Text<'a>>,
    /// Where the agent is; where the guard last saw it, if absent.
    pub place: Option<Place<'a>>,
}

impl<'a> Proposal<'a> {
    /// A proposal of the main agent, with the critic's score.
    pub fn new(action: impl Into<Text<'a>>, score: f64) -> Self {
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
    pub adjustments: Vec<Adjustment>,
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
    pub hints: Vec<Hint>,
    /// Texts for the agent and the critic.
    pub advice: Vec<Advice>,
    /// What happened, for the log.
    pub events: Vec<Event>,
}

/// One adjustment of a proposal's score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Adjustment {
    /// Whose.
    pub detector: DetectorName,
    /// How much.
    pub amount: f64,
    /// Why.
    pub reason: String,
    /// The score after it.
    pub score: f64,
    /// False where it is only told and not applied.
    pub acted: bool,
}

/// A word about a proposal.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hint {
    /// Whose.
    pub detector: DetectorName,
    /// What about.
    pub pattern: &'static str,
    /// What it rests on.
    pub evidence: Evidence,
}

/// Adds up what the detectors think of a proposal.
pub(crate) fn rule(run: &RunId, bid: &Bid<'_>, base: f64, draft: &Draft, settings: &Settings) -> Ruling {
    let policy = &settings.policy;
    let (mut raw, mut score) = (base, base.clamp(policy.score_min, policy.score_max));
    let (mut adjustments, mut events, mut lowered) = (Vec::new(), Vec::new(), false);
    for opinion in &draft.adjustments {
        let before = score;
        let acted = opinion.acted && policy.ladder.penalize;
        if acted {
            raw += opinion.amount;
            score = (score + opinion.amount).clamp(policy.score_min, policy.score_max);
            lowered |= opinion.amount < 0.0;
        }
        if let (true, DetectorName::Revisit, Some(destination)) = (acted, opinion.detector, bid.destination) {
            events.push(Event::from(LocationPenaltyApplied {
                episode_id: run.clone(),
                turn: bid.turn,
                location_id: bid.map.id(destination),
                location_name: bid.map.name(destination),
                recent_visits: opinion.visits,
                base_score: before,
                adjusted_score: score,
                penalty: opinion.amount,
            }));
        }
        let (detector, amount, reason) = (opinion.detector, opinion.amount, opinion.reason.clone());
        adjustments.push(Adjustment { detector, amount, reason, score, acted });
    }
    let applied = || adjustments.iter().filter(|adjustment| adjustment.acted);
    if applied().next().is_some() {
        let reasons = applied().map(|a| format!("{} {:+} ({})", a.detector, a.amount, a.reason));
        events.push(Event::from(LoopPenaltyApplied {
            episode_id: run.clone(),
            turn: bid.turn,
            action: quoted(&bid.action.line()),
            base_score: base,
            adjusted_score: score,
            reason: reasons.collect::<Vec<_>>().join("; "),
        }));
    }
    let refused_by_critic = base < policy.accept_at;
    let below = score < policy.accept_at;
    let rejects = below && lowered && !refused_by_critic && policy.ladder.reject;
    let hints: Vec<Hint> = draft
        .hints
        .iter()
        .filter(|_| policy.ladder.hint)
        .map(|(detector, pattern, evidence)| Hint {
            detector: *detector,
            pattern,
            evidence: evidence.clone(),
        })
        .collect();
    Ruling {
        turn: bid.turn,
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
