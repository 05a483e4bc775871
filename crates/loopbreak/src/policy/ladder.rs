//! The ladder: the interventions that are enabled, and the replacements for those that are not.

use crate::detectors::{DetectorReport, LoopFamily};
use crate::settings::{InterventionLadder, OnLoop, Settings};
use crate::verdict::{Intervention, Severity};

impl InterventionLadder {
    /// Returns whether an intervention is enabled.
    pub fn has(self, intervention: Intervention) -> bool {
        match intervention {
            Intervention::Hint => self.hint,
            Intervention::Warn => self.warn,
            Intervention::Penalize => self.penalize,
            Intervention::Reject => self.reject,
            Intervention::ForceNext => self.force_next,
            Intervention::UnblockAuthority => self.unblock_authority,
            Intervention::Escalate => self.escalate,
            Intervention::Stop => self.stop,
        }
    }

    /// Returns the intervention if it is enabled, or the next one that can replace it.
    pub(crate) fn enabled_or_milder(self, intervention: Intervention) -> Option<Intervention> {
        if self.has(intervention) {
            return Some(intervention);
        }
        let milder = match intervention {
            // If the run cannot be stopped and the agent cannot be moved on or given authority, a human has to decide.
            Intervention::Stop | Intervention::ForceNext | Intervention::UnblockAuthority => {
                Intervention::Escalate
            }
            Intervention::Reject => Intervention::Penalize,
            Intervention::Escalate | Intervention::Penalize => Intervention::Warn,
            Intervention::Warn => Intervention::Hint,
            Intervention::Hint => return None,
        };
        self.enabled_or_milder(milder)
    }
}

/// Returns the intervention that a report leads to. Not for reports about tasks.
pub(crate) fn intervention_for(
    report: &DetectorReport,
    severity: Severity,
    settings: &Settings,
) -> Option<Intervention> {
    let wanted = match severity {
        Severity::Hint => Intervention::Hint,
        Severity::Warn if report.detection.family == LoopFamily::Proposal => {
            report.detection.requested_intervention.unwrap_or(Intervention::Warn)
        }
        Severity::Warn => Intervention::Warn,
        Severity::Hard => match (report.detection.requested_intervention, settings.policy.on_loop) {
            (Some(requested), _) => requested,
            (None, OnLoop::Escalate) => Intervention::Escalate,
            (None, OnLoop::Stop) => Intervention::Stop,
            (None, OnLoop::Advise) => Intervention::Warn,
        },
    };
    settings.policy.ladder.enabled_or_milder(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_milder_intervention_replaces_one_that_is_switched_off() {
        let mut ladder = InterventionLadder { stop: false, ..InterventionLadder::default() };
        assert_eq!(ladder.enabled_or_milder(Intervention::Stop), Some(Intervention::Escalate));
        ladder.escalate = false;
        assert_eq!(ladder.enabled_or_milder(Intervention::Stop), Some(Intervention::Warn));
        ladder.warn = false;
        ladder.hint = false;
        assert_eq!(ladder.enabled_or_milder(Intervention::Stop), None);
        assert_eq!(ladder.enabled_or_milder(Intervention::Reject), Some(Intervention::Reject));
    }
}
