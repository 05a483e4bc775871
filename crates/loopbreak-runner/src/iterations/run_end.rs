//! The reason why a run ends, and the guard that requests it.

use loopbreak::event::SafetyGuard;
use loopbreak::settings::OnLoop;
use loopbreak::{Decision, Finding, Intervention, Severity, Verdict};

use loopbreak_report::exit;

/// The reason why a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunEndReason {
    /// The completion promise was printed, or every task is done.
    Complete,
    /// A loop was detected, or a human cancelled the run.
    Loop,
    /// A limit of iterations, time or money was reached.
    Limit,
    /// Too many errors in a row.
    Errors,
    /// A human is needed.
    Human,
    /// The user interrupted the run.
    Interrupted,
}

impl RunEndReason {
    /// Returns the exit code.
    pub fn code(self) -> u8 {
        match self {
            RunEndReason::Complete => exit::DONE,
            RunEndReason::Loop => exit::LOOP,
            RunEndReason::Limit => exit::LIMIT,
            RunEndReason::Errors => exit::ERRORS,
            RunEndReason::Human => exit::HUMAN,
            RunEndReason::Interrupted => exit::INTERRUPTED,
        }
    }

    /// Returns the name in the store and in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            RunEndReason::Complete => "complete",
            RunEndReason::Loop => "loop",
            RunEndReason::Limit => "limit",
            RunEndReason::Errors => "errors",
            RunEndReason::Human => "human needed",
            RunEndReason::Interrupted => "interrupted",
        }
    }
}

/// A request of a guard to end the run.
#[derive(Clone, Debug)]
pub(crate) struct EndRequest {
    pub(crate) ending: RunEndReason,
    /// The decision, with its reason.
    pub(crate) decision: Decision,
}

/// Returns the request that decides the reason: the first in the order of [`SafetyGuard`] of all that request
/// the end.
pub(crate) fn find_end_request(verdict: &Verdict, on_loop: OnLoop) -> Option<EndRequest> {
    let requests_end = |finding: &&Finding| {
        // If the intervention is milder, the user switched the stronger ones off.
        let is_strong = finding.intervention.is_some_and(loopbreak::Intervention::overrides_agent);
        finding.severity == Severity::Hard && finding.enforced && is_strong
    };
    let requests = verdict.findings.iter().filter(requests_end).filter_map(|finding| {
        let guard = SafetyGuard::of_finding(finding.detector, finding.pattern);
        let ending = match guard {
            SafetyGuard::MaxIterations | SafetyGuard::MaxRuntime | SafetyGuard::MaxCost => {
                RunEndReason::Limit
            }
            SafetyGuard::ConsecutiveErrors => RunEndReason::Errors,
            _ => match on_loop {
                OnLoop::Stop => RunEndReason::Loop,
                OnLoop::Escalate => RunEndReason::Human,
                _ => return None,
            },
        };
        let stated = verdict
            .decisions
            .iter()
            .find(|decision| decision.detector == finding.detector && decision.enforced);
        let intervention =
            if ending == RunEndReason::Human { Intervention::Escalate } else { Intervention::Stop };
        let decision = Decision {
            intervention,
            detector: finding.detector,
            pattern: finding.pattern,
            loop_id: finding.loop_id,
            task: None,
            reason: stated.map_or_else(|| finding.reason().to_owned(), |decision| decision.reason.clone()),
            enforced: true,
        };
        Some((guard, EndRequest { ending, decision }))
    });
    requests.min_by_key(|(guard, _)| *guard).map(|(_, request)| request)
}
