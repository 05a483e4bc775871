//! `errors`: errors in a row.
//!
//! Catches: a number of steps in a row whose outcome is an error. It warns, and stops only if `hard_at` is
//! set, as in the profiles `iterations` and `documents`.
//! Must not catch: errors with a success between them. A step without an outcome (a thought, a message)
//! neither counts nor resets the count.
//! Origin: document 004, the fourth safety guard.

pub(crate) mod settings;
#[cfg(test)]
mod tests;
mod texts;

use self::settings::ErrorsSettings;
use super::{
    Detection, DetectionCollector, Detector, DetectorSubject, DetectorTexts, LoopFamily, Pattern,
    StepContext, StepDetector,
};
use crate::event::SafetyGuard;
use crate::memory::{HashKey, key_of_parts, snapshot_type};
use crate::verdict::{Intervention, Severity};

snapshot_type! {
    /// The detector `errors`.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(crate) struct ErrorsDetector {
        count: u32,
        since: u64,
    }
}

impl Detector for ErrorsDetector {
    type Settings = ErrorsSettings;

    const SUBJECT: DetectorSubject = DetectorSubject::Error;
    const IN_DOCUMENTS_PROFILE: bool = true;
    const TEXTS: &'static DetectorTexts = &texts::TEXTS;

    fn safety_guard(_: Pattern) -> SafetyGuard {
        SafetyGuard::ConsecutiveErrors
    }
}

impl StepDetector for ErrorsDetector {
    fn observe(
        &mut self,
        context: &StepContext<'_>,
        settings: &ErrorsSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        if context.step.user.is_some() {
            self.count = 0;
        }
        let Some(outcome) = context.step.outcome.as_ref().filter(|_| !context.step.refused) else { return };
        if !outcome.is_error() {
            self.count = 0;
            return;
        }
        self.count = self.count.saturating_add(1);
        if self.count == 1 {
            self.since = context.turn;
        }
        let reached = |limit: u32| limit > 0 && self.count >= limit;
        let severity = if reached(settings.hard_at) {
            Severity::Hard
        } else if reached(settings.warn_at) {
            Severity::Warn
        } else {
            return;
        };
        let evidence = out.add(Detection {
            pattern: Pattern::ConsecutiveErrors,
            family: LoopFamily::Errors,
            identity: key_of_parts(&[HashKey(self.since), HashKey(3)]),
            since: self.since,
            severity: Some(severity),
            stage: 0,
            count: self.count,
            requested_intervention: Some(Intervention::Stop),
        });
        evidence.note("errors", self.count);
        if let Some(text) = &outcome.text {
            evidence.quote("last_error", text);
        }
    }
}
