//! The sign that decides whether an action failed.

use crate::name_enum::name_enum;

name_enum! {
    /// The sign by which an outcome counts as a success or as a failure.
    "reason" pub enum ResultReason {
        /// The log marks the outcome as a failure.
        ErrorFlag = "error_flag",
        /// The log marks the outcome as a success.
        SuccessFlag = "success_flag",
        /// The command ended with an exit code other than 0.
        ExitCode = "exit_code",
        /// The command ended with exit code 0.
        ExitZero = "exit_zero",
        /// The rules of the agent denied the action.
        DeniedByPolicy = "denied_by_policy",
        /// A human denied the action, which is not a failure of the agent.
        DeniedByUser = "denied_by_user",
        /// Loopbreak denied the action, which is not a failure of the agent.
        DeniedByGuard = "denied_by_guard",
        /// Nothing is marked, and the text begins like a failure.
        Words = "words",
        /// Nothing is marked, and the text does not begin like a failure.
        NoFailureWords = "no_failure_words",
        /// The log marks failures, and this outcome has no mark.
        Unmarked = "unmarked",
        /// The step has no action, and nothing is marked. Words are read only in the outcomes of actions.
        WithoutAction = "without_action",
        /// A search ended with exit code 1 and without output: nothing matched.
        SearchWithoutMatch = "search_without_match",
        /// A wait ended before its condition was met.
        WaitTimedOut = "wait_timed_out",
    }
}

impl ResultReason {
    /// Returns whether the sign is one of a failure.
    pub const fn is_failure(self) -> bool {
        matches!(
            self,
            ResultReason::ErrorFlag
                | ResultReason::ExitCode
                | ResultReason::DeniedByPolicy
                | ResultReason::Words
        )
    }

    /// Returns the reason as part of a sentence.
    pub const fn description(self) -> &'static str {
        match self {
            ResultReason::ErrorFlag => "the log marks it as a failure",
            ResultReason::SuccessFlag => "the log marks it as a success",
            ResultReason::ExitCode => "the exit code is not 0",
            ResultReason::ExitZero => "the exit code is 0",
            ResultReason::DeniedByPolicy => "the rules of the agent denied the call",
            ResultReason::DeniedByUser => "a human denied the call, which is not a failure of the agent",
            ResultReason::DeniedByGuard => "Loopbreak denied the call, which is not a failure of the agent",
            ResultReason::Words => "the log marks nothing, and the text begins like a failure",
            ResultReason::NoFailureWords => {
                "the log marks nothing, and the text does not begin like a failure"
            }
            ResultReason::Unmarked => "the log marks failures, and this outcome has no mark",
            ResultReason::WithoutAction => "nothing is marked, and the step has no action",
            ResultReason::SearchWithoutMatch => "a search without a match is not a failure",
            ResultReason::WaitTimedOut => "a wait whose condition was not met in time is not a failure",
        }
    }
}
