//! Names that occur in events.

use crate::detectors::{DetectorName, Pattern};
use crate::name_enum::name_enum;

name_enum! {
    /// The mark of an ending that Loopbreak caused, which distinguishes it from an end in the agent's own
    /// environment.
    "ending mark" pub enum EndingMark {
        /// Loopbreak ended the run.
        LoopBreak = "loop_break",
    }
}

name_enum! {
    /// A safety guard that can end a run. If several trip at one step, the first in this order names the
    /// reason.
    "safety guard" pub enum SafetyGuard {
        /// The limit of iterations.
        MaxIterations = "max_iterations",
        /// The limit of time.
        MaxRuntime = "max_runtime",
        /// A loop.
        LoopDetection = "loop_detection",
        /// Errors in a row.
        ConsecutiveErrors = "consecutive_errors",
        /// A limit of cost: of the run, or one of the budgets of several runs.
        MaxCost = "max_cost",
    }
}

impl SafetyGuard {
    /// Returns the safety guard that a finding of this detector and pattern belongs to.
    pub fn of_finding(detector: DetectorName, pattern: Pattern) -> Self {
        detector.safety_guard(pattern)
    }
}

name_enum! {
    /// A choice that a human has after an escalation.
    "escalation option" pub enum EscalationOption {
        /// The agent continues with another approach.
        ContinueWithAnotherApproach = "continue_with_another_approach",
        /// The human reviews the work.
        Review = "review",
        /// The run is cancelled.
        Cancel = "cancel",
    }
}
