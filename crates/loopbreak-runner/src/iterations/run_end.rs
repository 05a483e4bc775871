//! Why a run ends, and which guard says so.

use loopbreak::settings::OnLoop;
use loopbreak::{Decision, DetectorName, Finding, Intervention, Pattern, Severity, Verdict};

use loopbreak_report::exit;

/// Why a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The promise was kept, or every task is done.
    Complete,
    /// A loop.
    Loop,
    /// A limit of iterations, time or money was reached.
    Limit,
    /// Too many errors in a row.
    Errors,
    /// A human is needed.
    Human,
    /// Interrupted by the user.
    Interrupted,
}

impl Ending {
    /// Returns the exit code.
    pub fn code(self) -> u8 {
        match self {
            Ending::Complete => exit::DONE,
            Ending::Loop => exit::LOOP,
            Ending::Limit => exit::LIMIT,
            Ending::Errors => exit::ERRORS,
            Ending::Human => exit::HUMAN,
            Ending::Interrupted => exit::INTERRUPTED,
        }
    }

    /// The name in the store and in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Ending::Complete => "complete",
            Ending::Loop => "loop",
            Ending::Limit => "limit",
            Ending::Errors => "errors",
            Ending::Human => "human needed",
            Ending::Interrupted => "interrupted",
        }
    }
}

/// A guard that calls for an end.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) ending: Ending,
    /// What the engine wants done, and why.
    pub(crate) act: Decision,
}

/// The guard that names the reason: of all that call for an end, the first in the documented order.
pub(crate) fn call(verdict: &Verdict, on_loop: OnLoop) -> Option<Call> {
    let hard = |finding: &&Finding| {
        // A milder rung than these was chosen by the user, who switched the others off.
        let grave = finding.intervention.is_some_and(|act| act.overrides_agent());
        finding.severity == Severity::Hard && finding.enforced && grave
    };
    let calls = verdict.findings.iter().filter(hard).filter_map(|finding| {
        let (rank, ending) = match (finding.detector, finding.pattern) {
            (DetectorName::Budget, Pattern::MaxIterations) => (0, Ending::Limit),
            (DetectorName::Budget, Pattern::MaxRuntime) => (1, Ending::Limit),
            (DetectorName::Budget, _) => (4, Ending::Limit),
            (DetectorName::Errors, _) => (3, Ending::Errors),
            _ => match on_loop {
                OnLoop::Stop => (2, Ending::Loop),
                OnLoop::Escalate => (2, Ending::Human),
                OnLoop::Advise => return None,
            },
        };
        let told = verdict.decisions.iter().find(|act| act.detector == finding.detector && act.enforced);
        let intervention = if ending == Ending::Human { Intervention::Escalate } else { Intervention::Stop };
        let act = Decision {
            intervention,
            detector: finding.detector,
            pattern: finding.pattern,
            loop_id: finding.loop_id,
            task: None,
            reason: told.map_or_else(|| finding.pattern.to_string(), |act| act.reason.clone()),
            enforced: true,
        };
        Some((rank, Call { ending, act }))
    });
    calls.min_by_key(|(rank, _)| *rank).map(|(_, call)| call)
}
