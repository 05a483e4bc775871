//! Which rung a finding stands on, and which takes its place where that rung is switched off.

use crate::detectors::{DetectorReport, LoopFamily};
use crate::settings::{InterventionLadder, OnLoop, Settings};
use crate::verdict::{Intervention, Severity};

impl InterventionLadder {
    /// Whether a rung is there to be used.
    pub fn has(self, rung: Intervention) -> bool {
        match rung {
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

    /// The rung itself, or the next one that makes sense in its place.
    pub(crate) fn rung_or_milder(self, rung: Intervention) -> Option<Intervention> {
        if self.has(rung) {
            return Some(rung);
        }
        let milder = match rung {
            // Whoever may not be moved on or given authority is a case for a human.
            Intervention::Stop | Intervention::ForceNext | Intervention::UnblockAuthority => {
                Intervention::Escalate
            }
            Intervention::Reject => Intervention::Penalize,
            Intervention::Escalate | Intervention::Penalize => Intervention::Warn,
            Intervention::Warn => Intervention::Hint,
            Intervention::Hint => return None,
        };
        self.rung_or_milder(milder)
    }
}

/// What is to be done about a report, apart from tasks.
pub(crate) fn rung_of(
    report: &DetectorReport,
    severity: Severity,
    settings: &Settings,
) -> Option<Intervention> {
    let rung = match severity {
        Severity::Hint => Intervention::Hint,
        Severity::Warn if report.detection.family == LoopFamily::Proposal => {
            report.detection.requested_intervention.unwrap_or(Intervention::Warn)
        }
        Severity::Warn => Intervention::Warn,
        Severity::Hard => match (report.detection.requested_intervention, settings.policy.on_loop) {
            (Some(requested_intervention), _) => requested_intervention,
            (None, OnLoop::Escalate) => Intervention::Escalate,
            (None, OnLoop::Stop) => Intervention::Stop,
            (None, OnLoop::Advise) => Intervention::Warn,
        },
    };
    settings.policy.ladder.rung_or_milder(rung)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rung_that_is_off_gives_way_to_a_milder_one() {
        let mut ladder = InterventionLadder { stop: false, ..InterventionLadder::default() };
        assert_eq!(ladder.rung_or_milder(Intervention::Stop), Some(Intervention::Escalate));
        ladder.escalate = false;
        assert_eq!(ladder.rung_or_milder(Intervention::Stop), Some(Intervention::Warn));
        ladder.warn = false;
        ladder.hint = false;
        assert_eq!(ladder.rung_or_milder(Intervention::Stop), None);
        assert_eq!(ladder.rung_or_milder(Intervention::Reject), Some(Intervention::Reject));
    }
}
