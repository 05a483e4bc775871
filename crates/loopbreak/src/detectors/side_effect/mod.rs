//! `side_effect`: a call with a side effect that is repeated on the same object.
//!
//! Catches: the same message sent to the same person, the same record created, the same commit pushed again, even if
//! each reply has another id or the wording differs a little. Warns at the second time, hard at the fourth.
//! Must not catch: a commit after a change; a batch with other recipients, files or titles; another message to the same
//! person; a retry after an error; writes that can be repeated without a further effect; a repetition that the user
//! asked for. A table of tool names, annotations of MCP servers and `[[tool]]` say which calls have side effects.
//! Origin: second collection of complaints, 36 and "side effects repeated".

pub(crate) mod settings;
#[cfg(test)]
mod tests;
mod texts;

use self::settings::SideEffectSettings;
use super::repetition::RefusedProposals;
use super::{
    Detection, DetectionCollector, Detector, DetectorName, DetectorSubject, DetectorTexts, LoopFamily,
    Pattern, ProposalContext, ProposalReview, StepContext, StepDetector,
};
use crate::facts::{MUTATION_WORDS, MutatedObject};
use crate::fingerprint::words_key;
use crate::memory::{BoundedList, HashKey, RingBuffer, key_of_parts, snapshot_type};
use crate::text::clip::clip;
use crate::verdict::Severity;

/// Number of objects that are remembered.
const OBJECTS: usize = 16;
/// Number of bytes of a reply that are compared.
const REPLY_BYTES: usize = 600;
/// Share of words that two messages have in common if they say the same.
const ALIKE: f64 = 0.7;

snapshot_type! {
    /// The detector `side_effect`. It judges the run as a whole, because several agents can act on one object.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(crate) struct SideEffectDetector {
        objects: RingBuffer<ChangedObject, OBJECTS>,
        refusals: RefusedProposals,
    }
}

snapshot_type! {
    /// An object that was changed, and the number of times.
    #[derive(Clone, Debug)]
    struct ChangedObject {
        #[serde(rename = "k")]
        key: HashKey,
        #[serde(rename = "w")]
        words: BoundedList<HashKey, MUTATION_WORDS>,
        #[serde(rename = "r")]
        reply: HashKey,
        #[serde(rename = "c")]
        count: u32,
        #[serde(rename = "s")]
        since: u64,
    }
}

impl ChangedObject {
    /// Returns whether a call is about the same object and says the same.
    fn is_same(&self, object: &MutatedObject) -> bool {
        if self.key != object.key {
            return false;
        }
        let shared = object.words.iter().filter(|word| self.words.contains(word)).count();
        let more = self.words.len().max(object.words.len());
        more == 0 || shared as f64 >= ALIKE * more as f64
    }
}

impl Detector for SideEffectDetector {
    type Settings = SideEffectSettings;

    const SUBJECT: DetectorSubject = DetectorSubject::Effect;
    const MAY_REFUSE_CALLS: bool = true;
    const TEXTS: &'static DetectorTexts = &texts::TEXTS;

    fn reads_fingerprints(_: &Self::Settings) -> bool {
        true
    }
}

impl StepDetector for SideEffectDetector {
    fn observe(
        &mut self,
        context: &StepContext<'_>,
        settings: &SideEffectSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        if context.origin.user || context.further {
            self.objects.clear();
        }
        let (Some(prints), Some(action)) = (context.prints, context.action) else { return };
        if !prints.mutates {
            // A change of something else may be the reason to act again.
            if prints.effect {
                self.objects.clear();
            }
            return;
        }
        let object = context.tables.mutated_object(action, prints.call);
        let known = self.objects.iter().find(|known| known.is_same(&object)).cloned();
        if context.step.refused {
            if let Some((_, reason)) = known.and_then(|known| objection(&known, settings)) {
                self.refusals.insist(DetectorName::SideEffect, prints.call, reason, context, out);
            }
            return;
        }
        self.objects.retain(|known| !known.is_same(&object));
        // A call that failed, or whose result is unknown, may have changed nothing.
        let text = context.step.outcome.as_ref().and_then(|outcome| outcome.text.as_deref());
        let Some(text) = text.filter(|_| !prints.failed && !prints.unavailable && !prints.idle) else { return };
        let reply = words_key(clip(text, REPLY_BYTES));
        let mut changed = known.filter(|known| known.reply == reply).unwrap_or(ChangedObject {
            key: object.key,
            words: object.words.iter().copied().collect(),
            reply,
            count: 0,
            since: context.turn,
        });
        // Identical calls of one message are one decision, but each of them had its effect.
        changed.count = changed.count.saturating_add(1);
        self.objects.push(changed.clone());
        let Some(severity) = settings.severity(changed.count) else { return };
        let evidence = out.add(Detection {
            pattern: Pattern::RepeatedEffect,
            family: LoopFamily::Effect,
            identity: key_of_parts(&[object.key, HashKey(14)]),
            since: changed.since,
            severity: Some(severity),
            stage: 0,
            count: changed.count,
            requested_intervention: None,
        });
        evidence.note("times", changed.count).note("first_turn", changed.since);
        if let Some(action) = &context.step.action {
            evidence.quote("action", &action.line());
        }
        evidence.quote("outcome", text);
    }

    fn weigh(
        &self,
        proposal: &ProposalContext<'_>,
        settings: &SideEffectSettings,
        review: &mut ProposalReview,
    ) {
        let Some(prints) = &proposal.prints else { return };
        if self.objects.len() == 0 || !prints.mutates {
            return;
        }
        let object = proposal.tables.mutated_object(proposal.action, prints.call);
        let known = self.objects.iter().find(|known| known.is_same(&object));
        if let Some((severity, reason)) = known.and_then(|known| objection(known, settings)) {
            review.object_to_repeat(severity, reason);
        }
    }
}

/// Returns how bad it is to change an object again and why.
fn objection(known: &ChangedObject, settings: &SideEffectSettings) -> Option<(Severity, String)> {
    let severity = settings.severity(known.count)?;
    let (count, since) = (known.count, known.since);
    let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
    Some((severity, format!("had its effect {times} already since turn {since}, on the same object")))
}
