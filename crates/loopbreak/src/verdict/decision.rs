//! Decisions of the policy.

use serde::{Deserialize, Serialize};

use super::{Intervention, LoopId};
use crate::detectors::{DetectorName, Pattern};
use crate::event::EndingMark;

/// A decision of the policy: an intervention, the reason, and whether to carry it out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The intervention.
    pub intervention: Intervention,
    /// The detector whose finding led to it.
    pub detector: DetectorName,
    /// The pattern of that finding.
    pub pattern: Pattern,
    /// The loop.
    #[serde(rename = "loop")]
    pub loop_id: LoopId,
    /// The task, if the decision is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The reason, in one sentence without a full stop.
    pub reason: String,
    /// True if it is to be carried out. False in observe mode, which only computes and reports decisions.
    #[serde(rename = "acted")]
    pub enforced: bool,
}

/// The end of a run, with its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunStop {
    /// The pattern that names the reason, such as `stuck_no_progress`.
    pub reason: Pattern,
    /// The detector whose finding led to it.
    pub detector: DetectorName,
    /// The mark of the ending, which distinguishes it from an end in the agent's own environment.
    pub ending: EndingMark,
}

impl RunStop {
    /// The mark of every ending that Loopbreak causes.
    pub const ENDING: EndingMark = EndingMark::LoopBreak;
}
