//! Calls without logged results: one field that gets ever other values, and calls that are announced in nearly the same
//! words.

use super::settings::DriftSettings;
use crate::detectors::{Detection, DetectionCollector, LoopFamily, Pattern, StepContext};
use crate::fingerprint::{ActionKind, StepFingerprints, element_key};
use crate::memory::{BoundedList, HashKey, RingBuffer, key_of_lower, key_of_parts, snapshot_type};
use crate::verdict::Severity;

/// Number of values of a field that are remembered.
const VALUES: usize = 16;
/// Number of calls after which a field is forgotten.
const FORGET_AFTER: u64 = 8;
/// Number of words of a message that are compared, and the minimum for a comparison.
const WORDS: usize = 40;
const FEWEST_WORDS: usize = 6;
/// Share of all words of two messages that they have in common if they say nearly the same.
const ALIKE: f64 = 0.7;

snapshot_type! {
    /// The last field, and the last announcement.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(super) struct UnloggedTracker {
        calls: u64,
        field: HashKey,
        values: RingBuffer<HashKey, VALUES>,
        different: u32,
        field_since: u64,
        last: u64,
        tool: HashKey,
        words: BoundedList<HashKey, WORDS>,
        announced: u32,
        /// The last announcement, and the number of times in a row that it was identical.
        text: HashKey,
        identical: u32,
        since: u64,
    }
}

impl UnloggedTracker {
    pub(super) fn observe(
        &mut self,
        context: &StepContext<'_>,
        prints: &StepFingerprints<'_>,
        settings: &DriftSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        self.calls += 1;
        if prints.outcome.is_some() || context.measured {
            return;
        }
        self.fill(context, prints, settings, out);
        self.announce(context, prints, settings, out);
    }

    /// Counts the values of one field in a row.
    fn fill(
        &mut self,
        context: &StepContext<'_>,
        prints: &StepFingerprints<'_>,
        settings: &DriftSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        let Some(field) = context.action.and_then(element_key) else { return };
        if self.field != field || self.calls > self.last + FORGET_AFTER {
            self.values.clear();
            (self.field, self.different, self.field_since) = (field, 0, context.turn);
        }
        self.last = self.calls;
        if !self.values.iter().any(|known| *known == prints.call) {
            self.values.push(prints.call);
            self.different = self.different.saturating_add(1);
        }
        let hard_at = settings.hard_at + settings.hard_at / 2;
        let Some(severity) = severity(self.different, settings.warn_at + 1, hard_at) else { return };
        let evidence = out.add(Detection {
            pattern: Pattern::SameField,
            family: LoopFamily::Action,
            identity: key_of_parts(&[field, HashKey(19)]),
            since: self.field_since,
            severity: Some(severity),
            stage: 0,
            count: self.different,
            requested_intervention: None,
        });
        evidence.note("calls", self.different);
        if let Some(action) = &context.step.action {
            evidence.quote("action", &action.line());
        }
    }

    /// Counts calls of one tool in a row that are announced in nearly the same words.
    fn announce(
        &mut self,
        context: &StepContext<'_>,
        prints: &StepFingerprints<'_>,
        settings: &DriftSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        let pages = matches!(prints.kind, ActionKind::Page | ActionKind::Wait);
        let Some(say) = context.step.say.as_deref().filter(|_| !pages) else {
            self.words.assign([]);
            return;
        };
        let words = words_of_message(say);
        let shared = words.iter().filter(|word| self.words.contains(word)).count();
        let all = words.len() + self.words.len() - shared;
        let alike = self.tool == prints.tool
            && words.len() >= FEWEST_WORDS
            && shared as f64 >= ALIKE * all as f64
            && !context.moves_on;
        if alike {
            self.announced = self.announced.saturating_add(1);
        } else {
            (self.announced, self.since) = (1, context.turn);
        }
        let text = key_of_lower(say);
        self.identical = if alike && text == self.text { self.identical.saturating_add(1) } else { 1 };
        (self.tool, self.words, self.text) = (prints.tool, words, text);
        // Words that only resemble each other need more repeats than identical ones.
        let hard_at = settings.hard_at + settings.hard_at / 2;
        let hard_at = if self.identical >= settings.hard_at { settings.hard_at } else { hard_at };
        let Some(severity) = severity(self.announced, settings.warn_at, hard_at) else { return };
        let evidence = out.add(Detection {
            pattern: Pattern::SameAnnouncement,
            family: LoopFamily::Action,
            identity: key_of_parts(&[prints.tool, HashKey(self.since), HashKey(20)]),
            since: self.since,
            severity: Some(severity),
            stage: 0,
            count: self.announced,
            requested_intervention: None,
        });
        evidence.note("calls", self.announced).quote("message", say);
    }
}

fn severity(count: u32, warn_at: u32, hard_at: u32) -> Option<Severity> {
    if hard_at > 0 && count >= hard_at {
        Some(Severity::Hard)
    } else {
        (count >= warn_at).then_some(Severity::Warn)
    }
}

/// Returns the distinct words of a message.
fn words_of_message(say: &str) -> BoundedList<HashKey, WORDS> {
    let mut words = BoundedList::default();
    for word in say.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2) {
        if words.is_full() {
            break;
        }
        let key = key_of_lower(word);
        if !words.contains(&key) {
            words.push(key);
        }
    }
    words
}
