//! Objections to calls.

use crate::detectors::DetectorName;
use crate::guard::Guard;
use crate::policy::Proposal;
use crate::settings::Config;
use crate::verdict::{Intervention, Ruling};

/// The objection of the guard to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallObjection {
    /// The detector that objects.
    pub detector: DetectorName,
    /// The reason, as the end of a sentence that begins with the call, without a full stop.
    pub reason: String,
}

impl CallObjection {
    /// Finds the objection for which a call is to be refused. Only detectors that object to the call itself can refuse it, and
    /// some of them only if the agent was warned about the call.
    pub fn find(ruling: &Ruling, has_warned: impl FnOnce() -> bool) -> Option<Self> {
        if ruling.intervention != Some(Intervention::Reject) {
            return None;
        }
        let objection = ruling.adjustments.iter().find(|adjustment| {
            adjustment.enforced && adjustment.amount < 0.0 && adjustment.detector.may_refuse_calls()
        })?;
        let detector = objection.detector;
        let may_refuse = !detector.warns_before_refusing() || has_warned();
        may_refuse.then(|| CallObjection { detector, reason: objection.reason.clone() })
    }

    /// Weighs a call with the [settings for calls](super::AgentConfig::for_calls), and finds the objection to it.
    pub fn weigh(
        guard: &Guard,
        calls: &Config,
        proposal: &Proposal<'_>,
        has_warned: impl FnOnce() -> bool,
    ) -> Option<Self> {
        CallObjection::find(&guard.weigh_with(calls, proposal), has_warned)
    }
}
