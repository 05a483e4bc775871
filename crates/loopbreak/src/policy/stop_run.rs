//! Stops a run and names the reason.

use super::verdict_builder::VerdictBuilder;
use crate::detectors::{DetectorName, DetectorReport, Pattern};
use crate::event::{GuardTripped, SafetyGuard, StuckTermination};
use crate::evidence::{Evidence, EvidenceKey};
use crate::verdict::RunStop;

/// A safety guard that stops the run, with the report that tripped it.
pub(super) struct TrippedGuard {
    guard: SafetyGuard,
    detector: DetectorName,
    pattern: Pattern,
    evidence: Evidence,
}

impl TrippedGuard {
    pub(super) fn new(report: DetectorReport) -> Self {
        let (detector, pattern) = (report.detector, report.detection.pattern);
        let guard = SafetyGuard::of_finding(detector, pattern);
        TrippedGuard { guard, detector, pattern, evidence: report.evidence }
    }
}

impl VerdictBuilder<'_> {
    /// Stops the run if a safety guard tripped. The first one in the order of [`SafetyGuard`] names the reason.
    pub(super) fn stop_run(&mut self, mut tripped: Vec<TrippedGuard>) {
        tripped.sort_by_key(|tripped| tripped.guard);
        for (index, one) in tripped.iter().enumerate() {
            if one.detector == DetectorName::Stagnation {
                self.add_stuck_termination(one);
            }
            let event = GuardTripped {
                episode_id: self.input.run.clone(),
                turn: self.input.turn,
                guard: one.guard,
                pattern: one.pattern,
                first: index == 0,
                limit: one.evidence.float(EvidenceKey::LIMIT),
                value: one.evidence.float(EvidenceKey::USED),
            };
            self.verdict.events.push(event.into());
        }
        if let Some(first) = tripped.first() {
            let stop = RunStop { reason: first.pattern, detector: first.detector, ending: RunStop::ENDING };
            self.verdict.stop = Some(stop);
        }
    }

    fn add_stuck_termination(&mut self, tripped: &TrippedGuard) {
        let event = StuckTermination {
            episode_id: self.input.run.clone(),
            turn: self.input.turn,
            turns_stuck: tripped.evidence.number(EvidenceKey::TURNS_STUCK).unwrap_or_default(),
            score: tripped.evidence.float(EvidenceKey::SCORE),
            // What the last progress bought, which may differ from the setting.
            max_turns_stuck: tripped
                .evidence
                .number(EvidenceKey::MAX_TURNS_STUCK)
                .unwrap_or(self.settings.stagnation.max_turns),
            ending: RunStop::ENDING,
            termination_reason: tripped.pattern,
        };
        self.verdict.events.push(event.into());
    }
}
