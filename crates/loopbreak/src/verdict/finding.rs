//! A finding of a detector.

use serde::{Deserialize, Serialize};

use super::{Intervention, LoopId, Severity};
use crate::detectors::{DetectorName, Pattern};
use crate::evidence::{Evidence, EvidenceKey};

/// A finding of a detector in a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The turn of the step.
    pub turn: u64,
    /// The turn at which the loop began.
    pub since: u64,
    /// The detector that made the finding.
    pub detector: DetectorName,
    /// The kind of loop.
    pub pattern: Pattern,
    /// The severity.
    pub severity: Severity,
    /// The intervention of the policy. Always set on a hard finding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intervention: Option<Intervention>,
    /// The loop that it belongs to.
    #[serde(rename = "loop")]
    pub loop_id: LoopId,
    /// The agent that is stuck.
    pub agent: String,
    /// True if it may be acted on. False if the detector or the whole guard only observes.
    #[serde(rename = "acted")]
    pub enforced: bool,
    /// Number of repeats, in the unit of the detector.
    pub count: u32,
    /// The facts behind it, with the reason under [`EvidenceKey::REASON`].
    pub evidence: Evidence,
}

impl Finding {
    /// Returns the reason of the finding, in one sentence without a full stop. If the evidence has no reason,
    /// which never happens for findings of the engine, returns the name of the pattern.
    pub fn reason(&self) -> &str {
        let reason = self.evidence.text(EvidenceKey::REASON).filter(|reason| !reason.is_empty());
        reason.unwrap_or(self.pattern.as_str())
    }
}
