//! Loops that were found in a run.

use loopbreak::text::clip;
use loopbreak::{Finding, Verdict};
use serde::{Deserialize, Serialize};

/// Longest reason that is kept, in bytes.
const REASON_BYTES: usize = 400;

/// A loop that was found in a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KnownLoop {
    /// Id of the loop.
    #[serde(rename = "loop")]
    pub id: String,
    /// Detector that found it first.
    pub detector: String,
    /// Pattern of the loop.
    pub pattern: String,
    /// Severity: `hint`, `warn` or `hard`.
    pub severity: String,
    /// First turn of the loop.
    pub since: u64,
    /// Number of repetitions.
    pub attempt_count: u32,
    /// Time of the last repetition, in milliseconds since 1970.
    pub last_attempt: i64,
    /// Turn of the last repetition.
    #[serde(default)]
    pub turn: u64,
    /// The repeated action.
    #[serde(default)]
    pub action: String,
    /// Outcome of the action.
    #[serde(default)]
    pub outcome: String,
    /// Last intervention of the policy. Empty if there was none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub intervention: String,
    /// Reason for the intervention, in one sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

impl KnownLoop {
    /// Creates the record of a finding.
    pub(super) fn new(finding: &Finding, verdict: &Verdict, now: i64) -> Self {
        let text = |name: &str| finding.evidence.text(name).unwrap_or_default().to_owned();
        let decision = verdict
            .decisions
            .iter()
            .filter(|decision| decision.loop_id == finding.loop_id)
            .max_by_key(|decision| decision.intervention);
        KnownLoop {
            id: finding.loop_id.to_string(),
            detector: finding.detector.to_string(),
            pattern: finding.pattern.to_string(),
            severity: finding.severity.to_string(),
            since: finding.since,
            attempt_count: finding.count,
            last_attempt: now,
            turn: finding.turn,
            action: text("action"),
            outcome: text("outcome"),
            intervention: decision
                .map(|decision| decision.intervention)
                .or(finding.intervention)
                .map_or_else(String::new, |intervention| intervention.as_str().to_owned()),
            reason: decision
                .map_or_else(String::new, |decision| clip(&decision.reason, REASON_BYTES).to_owned()),
        }
    }
}
