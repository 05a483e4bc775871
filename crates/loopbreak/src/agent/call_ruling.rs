//! The answer to a call that an agent wants to make.

use serde::Serialize;

use crate::detectors::DetectorName;
use crate::name_enum::name_enum;
use crate::verdict::{Ruling, Verdict};

name_enum! {
    /// The decision about a call.
    "answer to a call" pub enum CallAnswer {
        /// The call may be made.
        Allow = "allow",
        /// The call must not be made. The agent continues.
        Refuse = "refuse",
        /// The call must not be made, and the run has to end.
        Stop = "stop",
    }
}

/// The answer to a call that an agent wants to make.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CallRuling {
    /// The decision.
    #[serde(rename = "decision")]
    pub answer: CallAnswer,
    /// The text for the agent in place of a result. Empty if the call may be made.
    pub text: String,
    /// The reason, without a full stop. Empty if the call may be made.
    pub reason: String,
    /// The detector that objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detector: Option<DetectorName>,
    /// The ruling of the guard, also if nothing is enforced.
    pub ruling: Ruling,
    /// The verdict on the refused call. None if the call may be made: its verdict comes with its outcome.
    #[serde(skip)]
    pub verdict: Option<Verdict>,
}
