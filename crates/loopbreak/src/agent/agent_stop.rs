//! The end of a run, with everything that a caller may want to know about it.

use serde::{Deserialize, Serialize};

use crate::detectors::{DetectorName, Pattern};
use crate::evidence::Evidence;
use crate::verdict::{LoopId, RunStop, Verdict};

/// The end of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentStop {
    /// The turn at which the run ended.
    pub turn: u64,
    /// The turn at which the loop began.
    pub since: u64,
    /// The detector whose finding led to it.
    pub detector: DetectorName,
    /// The pattern that names the reason, such as `refused_repeat` or `max_turns`.
    pub pattern: Pattern,
    /// The loop.
    #[serde(rename = "loop")]
    pub loop_id: LoopId,
    /// The reason, in one sentence without a full stop.
    pub reason: String,
    /// The facts behind it.
    pub evidence: Evidence,
}

impl AgentStop {
    /// Describes the end that a verdict asks for.
    pub(super) fn from_verdict(stop: RunStop, verdict: &Verdict) -> Self {
        let finding = verdict
            .findings
            .iter()
            .rev()
            .find(|finding| finding.detector == stop.detector && finding.pattern == stop.reason);
        let decision = verdict
            .decisions
            .iter()
            .rev()
            .find(|decision| decision.detector == stop.detector && decision.pattern == stop.reason);
        let reason = finding.map(|finding| finding.reason().to_owned());
        AgentStop {
            turn: verdict.turn,
            since: finding.map_or(verdict.turn, |finding| finding.since),
            detector: stop.detector,
            pattern: stop.reason,
            loop_id: finding
                .map(|finding| finding.loop_id)
                .or(decision.map(|decision| decision.loop_id))
                .unwrap_or(LoopId(0)),
            reason: reason
                .or_else(|| decision.map(|decision| decision.reason.clone()))
                .unwrap_or_else(|| stop.reason.to_string()),
            evidence: finding.map(|finding| finding.evidence.clone()).unwrap_or_default(),
        }
    }

    /// Describes the end of a run whose agent insists on a refused call.
    pub(super) fn of_refusal(verdict: &Verdict) -> Option<Self> {
        let decision = verdict.decisions.iter().rev().find(|decision| decision.enforced)?;
        let (reason, detector) = (decision.pattern, decision.detector);
        let stop = RunStop { reason, detector, ending: RunStop::ENDING };
        Some(AgentStop::from_verdict(stop, verdict))
    }

    /// Returns the text about the end.
    pub fn text(&self) -> String {
        format!("Loop guard: stopped: {}", self.reason)
    }
}
