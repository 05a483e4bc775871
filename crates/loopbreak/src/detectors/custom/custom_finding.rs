//! The output of a detector of the user.

use crate::detectors::{CustomName, Detection, DetectionCollector, LoopFamily, Pattern};
use crate::evidence::{Evidence, EvidenceKey};
use crate::memory::{key_of, key_of_parts};
use crate::verdict::Severity;

/// Maximum number of findings that a detector may report for one step.
const FINDINGS_PER_STEP: usize = 8;

/// A loop that a detector saw in a step.
#[derive(Clone, Debug)]
pub struct CustomFinding {
    pattern: Pattern,
    severity: Severity,
    since: Option<u64>,
    count: u32,
    key: String,
    evidence: Evidence,
}

impl CustomFinding {
    /// Creates a finding. The reason is one sentence without a full stop; it appears in the advice for the agent.
    pub fn new(pattern: CustomName, severity: Severity, reason: impl AsRef<str>) -> Self {
        let mut evidence = Evidence::new();
        evidence.quote(EvidenceKey::REASON, reason.as_ref());
        CustomFinding {
            pattern: Pattern::from(pattern),
            severity,
            since: None,
            count: 1,
            key: String::new(),
            evidence,
        }
    }

    /// Sets the turn at which the loop began. The turn of the step by default.
    #[must_use]
    pub fn since(mut self, turn: u64) -> Self {
        self.since = Some(turn);
        self
    }

    /// Sets the number of repeats. A loop is reported again when it doubles. 1 by default.
    #[must_use]
    pub fn count(mut self, count: u32) -> Self {
        self.count = count;
        self
    }

    /// Distinguishes loops of one pattern, such as the loops about two different files.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = key.into();
        self
    }

    /// Sets the facts behind the finding. Use [`Evidence::quote`] for texts of the agent.
    #[must_use]
    pub fn evidence(mut self, facts: &Evidence) -> Self {
        for (key, value) in facts.iter().filter(|(key, _)| **key != EvidenceKey::REASON) {
            self.evidence.note(key.clone(), value.clone());
        }
        self
    }
}

impl From<CustomName> for Pattern {
    /// Returns the pattern with this name: one of Loopbreak's patterns, or a custom one.
    fn from(name: CustomName) -> Self {
        name.as_str().parse().unwrap_or(Pattern::Custom(name))
    }
}

/// Receives the findings of a detector.
pub struct CustomFindings<'o> {
    collector: DetectionCollector<'o>,
    turn: u64,
    left: usize,
}

impl<'o> CustomFindings<'o> {
    pub(super) fn new(collector: DetectionCollector<'o>, turn: u64) -> Self {
        CustomFindings { collector, turn, left: FINDINGS_PER_STEP }
    }

    /// Reports a finding. After eight findings in one step, further ones are ignored.
    pub fn add(&mut self, finding: CustomFinding) {
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        let CustomFinding { pattern, severity, since, count, key, evidence } = finding;
        let names = [self.collector.detector.as_str(), pattern.as_str(), &key];
        let detection = Detection {
            pattern,
            family: LoopFamily::Custom,
            identity: key_of_parts(&names.map(key_of)),
            since: since.unwrap_or(self.turn).min(self.turn),
            severity: Some(severity),
            stage: 0,
            count,
            requested_intervention: None,
        };
        *self.collector.add(detection) = evidence;
    }
}
