//! `errors`: errors in a row.
//!
//! Catches: three errors of one kind at one target in a row, or six of any kind with no success between them. Three
//! of different kinds give a hint. It stops only if `hard_at` is set, as in the profiles `iterations` and
//! `documents`, where three errors of any kind are enough.
//! Must not catch: errors with a success between them; probing for things that may not exist; the failures of
//! parallel calls, which are one attempt; a denial by the user; a search without a match; errors of the
//! infrastructure. A step without an outcome (a thought, a message) neither counts nor resets the count.
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
use crate::fingerprint::gist_key;
use crate::memory::{HashKey, key_of_parts, snapshot_type};
use crate::verdict::{Intervention, Severity};

snapshot_type! {
    /// The detector `errors`.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(crate) struct ErrorsDetector {
        count: u32,
        since: u64,
        /// The last error and its target, and the number of times in a row.
        kind: HashKey,
        alike: u32,
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
        if context.origin.user {
            (self.count, self.alike) = (0, 0);
        }
        let Some(outcome) = context.step.outcome.as_ref().filter(|_| !context.step.refused) else { return };
        // An error of the infrastructure is nobody's mistake, and the failures of one message are one attempt.
        if context.unavailable || context.attempt.repeats_failure {
            return;
        }
        let is_error = outcome.is_error() || outcome.exit.is_some_and(|exit| exit != 0);
        if !is_error {
            (self.count, self.alike) = (0, 0);
            return;
        }
        // A search without a match is marked as an error, but is none. Nothing was learned by it either.
        if context.prints.is_some_and(|prints| !prints.failed) {
            return;
        }
        self.count = self.count.saturating_add(1);
        if self.count == 1 {
            self.since = context.turn;
        }
        // Where errors of any kind count alike, their kinds are not needed.
        let kind = if settings.any_warn_at == settings.warn_at { HashKey::NONE } else { kind_of(context) };
        self.alike = if self.kind == kind { self.alike.saturating_add(1) } else { 1 };
        self.kind = kind;
        let reached = |limit: u32, count: u32| limit > 0 && count >= limit;
        let severity = if reached(settings.hard_at, self.count) {
            Severity::Hard
        } else if reached(settings.warn_at, self.alike) || reached(settings.any_warn_at, self.count) {
            Severity::Warn
        } else if reached(settings.warn_at, self.count) {
            Severity::Hint
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
        if let Some(action) = &context.step.action {
            evidence.quote("action", &action.line());
        }
    }
}

/// Returns the key of the kind of an error and its target.
fn kind_of(context: &StepContext<'_>) -> HashKey {
    let (Some(prints), Some(action)) = (context.prints, context.action) else {
        let text = context.step.outcome.as_ref().and_then(|outcome| outcome.text.as_deref());
        return gist_key(text.unwrap_or_default());
    };
    let aim = context.tables.actions.aim(action, prints.kind);
    let target = aim.map_or(prints.tool, |aim| {
        let target = aim.targets.first().filter(|_| !aim.to_be_named);
        target.map_or(aim.tool, |target| target.key)
    });
    key_of_parts(&[target, prints.outcome.unwrap_or_default()])
}
