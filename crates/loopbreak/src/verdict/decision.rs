//! Decisions of the policy.

use serde::{Deserialize, Serialize};

use super::{Intervention, LoopId};
use crate::detectors::{DetectorName, Pattern};
use crate::event::EndingMark;

/// A decision of the policy: an intervention, the reason, and whether to carry it out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// What to do.
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
    /// Whether to carry it out. False in observe mode, which computes and reports decisions only.
    #[serde(rename = "acted")]
    pub enforced: bool,
}

/// Why the run has to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunStop {
    /// The pattern that names the reason, such as `stuck_no_progress`.
    pub reason: Pattern,
    /// The detector whose finding it was.
    pub detector: DetectorName,
    /// The mark of the ending, so that it is not taken for an end inside the agent's own world.
    pub ending: EndingMark,
}

impl RunStop {
    /// The mark of every ending that Loopbreak causes.
    pub const ENDING: EndingMark = EndingMark::LoopBreak;
}
