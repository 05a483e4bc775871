//! `signature`: iterations whose outputs have the same core.
//!
//! Catches: the same error, failing tests, file change or search in 3 outputs in a row (or, if `window` is
//! set, among that many recent outputs). A hint at the second, hard at the third.
//! Must not catch: different changes to one file; a falling number of failures; a retry that succeeds. Reads
//! only steps without an action, unless `scope = "all"`, because tool replies repeat in healthy runs.
//! Origin: document 004. Mistake 10: the examples there are the intent, not the code.

pub(crate) mod settings;
#[cfg(test)]
mod tests;
mod texts;

use std::borrow::Cow;

use self::settings::SignatureSettings;
use super::{
    Detection, DetectionCollector, Detector, DetectorSubject, DetectorTexts, LoopFamily, Pattern,
    StepContext, StepDetector,
};
use crate::evidence::{Evidence, EvidenceKey};
use crate::explain::SignatureExplanation;
use crate::facts::message_of;
use crate::memory::{HashKey, RingBuffer, key_of, snapshot_type};
use crate::settings::OutputScope;
use crate::step::Step;
use crate::text::quoted;
use crate::text::signature::{signature, signature_and_kind};
use crate::verdict::Severity;

/// Largest window that the settings allow.
const LARGEST_WINDOW: usize = 20;

snapshot_type! {
    /// The detector `signature`.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(crate) struct SignatureDetector {
        /// The last signatures and their turns.
        last: RingBuffer<(HashKey, u64), LARGEST_WINDOW>,
        /// Number of identical signatures in a row at the end, and the turn of the first.
        streak: u32,
        since: u64,
    }
}

impl Detector for SignatureDetector {
    type Settings = SignatureSettings;

    const SUBJECT: DetectorSubject = DetectorSubject::Output;
    const IN_DOCUMENTS_PROFILE: bool = true;
    const TEXTS: &'static DetectorTexts = &texts::TEXTS;

    fn label(evidence: &Evidence) -> Option<String> {
        evidence.text(EvidenceKey::SIGNATURE).map(quoted)
    }
}

impl StepDetector for SignatureDetector {
    fn observe(
        &mut self,
        context: &StepContext<'_>,
        settings: &SignatureSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        if context.origin.user {
            *self = SignatureDetector::default();
        }
        let Some(output) = output(context.step, settings.scope).filter(|_| !context.unavailable) else {
            return;
        };
        let (signature, kind) = signature_and_kind(&output);
        if signature.is_empty() {
            return;
        }
        let key = key_of(&signature);
        if self.last.last().is_some_and(|(last, _)| *last == key) {
            self.streak = self.streak.saturating_add(1);
        } else {
            (self.streak, self.since) = (1, context.turn);
        }
        self.last.push_within((key, context.turn), settings.window.max(1) as usize);
        let (count, since) = if settings.window == 0 {
            (self.streak, self.since)
        } else {
            let equal = self.last.newest().filter(|(other, _)| *other == key);
            equal.fold((0, context.turn), |(count, _), (_, turn)| (count + 1, *turn))
        };
        let severity = if count >= settings.hard_at {
            Some(Severity::Hard)
        } else if settings.hint_at > 0 && count >= settings.hint_at {
            Some(Severity::Hint)
        } else {
            None
        };
        if count < 2 {
            return;
        }
        let detection = Detection {
            pattern: Pattern::RepeatedSignature,
            family: LoopFamily::Output,
            identity: key,
            since,
            severity,
            stage: 0,
            count,
            requested_intervention: None,
        };
        let evidence = out.add(detection);
        evidence.quote("signature", &signature).note("signature_kind", kind.as_str());
        evidence.note("repeats", count).quote("output", &output);
    }
}

/// Returns the signature of a step's output as the detector `signature` compares it, if the step is the output of a whole
/// iteration: it has no action.
pub fn output_signature(step: &Step<'_>) -> Option<String> {
    let signature = signature(&output(step, OutputScope::Iterations)?);
    (!signature.is_empty()).then_some(signature)
}

/// Returns the signature of a step's output, and whether the detector compares it with this scope. `show` prepares the text
/// for people.
pub(crate) fn explain_signature(
    step: &Step<'_>,
    scope: OutputScope,
    show: impl FnOnce(&str) -> String,
) -> Option<SignatureExplanation> {
    let (text, kind) = signature_and_kind(&output(step, OutputScope::All)?);
    let compared = output(step, scope).is_some();
    (!text.is_empty()).then(|| SignatureExplanation { text: show(&text), kind: kind.as_str(), compared })
}

/// Returns the output of a step for the detectors of outputs, if it is in their scope.
pub(super) fn output<'s>(step: &'s Step<'_>, scope: OutputScope) -> Option<Cow<'s, str>> {
    if step.refused || (scope == OutputScope::Iterations && step.action.is_some()) {
        return None;
    }
    let text = step.outcome.as_ref()?.text.as_deref().filter(|text| !text.trim().is_empty())?;
    Some(if step.action.is_none() { message_of(text) } else { Cow::Borrowed(text) })
}
