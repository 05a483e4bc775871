//! The verdict on an event, and the answer that the agent got.

use loopbreak::Verdict;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The verdict on an event, and the answer that the agent got.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct VerdictSummary {
    /// Turn of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<u64>,
    /// Findings, as the engine writes them. They stay JSON, so that this version also reads events of later ones, whose
    /// findings may have detectors and fields that it does not know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Value>,
    /// Kind of the answer, such as `advise`, `deny` or `stop`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Text of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl VerdictSummary {
    /// Adds the kind and the text of an answer.
    #[must_use]
    pub fn with_answer(self, answer: impl Into<String>, text: impl Into<String>) -> Self {
        VerdictSummary { answer: Some(answer.into()), text: Some(text.into()), ..self }
    }
}

impl From<&Verdict> for VerdictSummary {
    fn from(verdict: &Verdict) -> Self {
        let findings =
            verdict.findings.iter().map(|finding| serde_json::to_value(finding).unwrap_or_default());
        VerdictSummary { turn: Some(verdict.turn), findings: findings.collect(), ..VerdictSummary::default() }
    }
}
