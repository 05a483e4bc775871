//! The loop that a run was first warned about.

use loopbreak::{Finding, Severity, Verdict};
use serde::{Deserialize, Serialize};

/// The loop that a run was first warned about, or would have been if it was not held out. It is followed to measure the
/// effect of Loopbreak.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WarnedLoop {
    /// Id of the loop.
    #[serde(rename = "loop")]
    pub id: String,
    /// Turn of the last step.
    pub turn: u64,
    /// Number of steps since the warning. Calls that were refused are not steps.
    pub steps: u64,
    /// The last of them that belonged to the loop; 0 if the agent left it immediately.
    pub last: u64,
}

impl WarnedLoop {
    /// Creates the record of the first warning in a verdict. Whether it was enforced does not matter: in a held-out run
    /// none is.
    pub(super) fn find(verdict: &Verdict) -> Option<Self> {
        let first = verdict.findings.iter().find(|finding| is_warning(finding))?;
        Some(WarnedLoop { id: first.loop_id.to_string(), turn: verdict.turn, steps: 0, last: 0 })
    }

    /// Adds the verdict on a later step.
    pub(super) fn follow(&mut self, verdict: &Verdict) {
        // A refused call has the turn of the step after it.
        if verdict.turn > self.turn {
            self.turn = verdict.turn;
            self.steps = self.steps.saturating_add(1);
        }
        if verdict.sighted.iter().any(|id| id.to_string() == self.id) {
            self.last = self.steps;
        }
    }
}

/// Returns whether a finding is a warning about a loop that an agent can leave.
fn is_warning(finding: &Finding) -> bool {
    finding.severity >= Severity::Warn && finding.detector.subject().can_be_left()
}
