//! Rulings on proposals.

use serde::{Deserialize, Serialize};

use super::{Advice, Intervention};
use crate::detectors::{DetectorName, Pattern};
use crate::event::Event;
use crate::evidence::Evidence;

/// The result of weighing a proposal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ruling {
    /// The turn that the proposal is for.
    pub turn: u64,
    /// The critic's score.
    pub base: f64,
    /// Adjustments of the score, in order.
    pub adjustments: Vec<ScoreAdjustment>,
    /// The plain sum of the score and the adjustments.
    pub raw: f64,
    /// The final score, kept within its range after each adjustment.
    pub score: f64,
    /// The lowest score at which a proposal is accepted.
    pub accept_at: f64,
    /// True if the proposal is accepted.
    pub accepted: bool,
    /// The intervention of Loopbreak: `penalize`, `reject` or none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intervention: Option<Intervention>,
    /// Remarks about the proposal.
    pub hints: Vec<ProposalHint>,
    /// Texts for the agent and the critic.
    pub advice: Vec<Advice>,
    /// Events, for the log.
    pub events: Vec<Event>,
}

/// One adjustment of a proposal's score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScoreAdjustment {
    /// The detector that asked for it.
    pub detector: DetectorName,
    /// The amount that is added; negative for a penalty.
    pub amount: f64,
    /// The reason, in one sentence without a full stop.
    pub reason: String,
    /// The score after it.
    pub score: f64,
    /// True if it was applied, false if it is only reported.
    #[serde(rename = "acted")]
    pub enforced: bool,
}

/// A remark about a proposal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProposalHint {
    /// The detector that made it.
    pub detector: DetectorName,
    /// The pattern of the remark.
    pub pattern: Pattern,
    /// The facts behind it.
    pub evidence: Evidence,
}
