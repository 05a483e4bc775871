//! Searches that ask the same question in other words.

use super::settings::DriftSettings;
use crate::detectors::{Detection, DetectionCollector, LoopFamily, Pattern, StepContext};
use crate::facts::question_texts;
use crate::fingerprint::StepFingerprints;
use crate::memory::{BoundedList, HashKey, key_of, key_of_lower, key_of_parts, snapshot_type};
use crate::verdict::Severity;

/// Number of words that are kept of a question, and number of its text arguments that are read.
const WORDS: usize = 24;
const VALUES: usize = 8;

snapshot_type! {
    /// The last question, and the number of similar ones in a row.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(super) struct RephraseTracker {
        tool: HashKey,
        values: BoundedList<HashKey, VALUES>,
        words: BoundedList<HashKey, WORDS>,
        count: u32,
        since: u64,
    }
}

impl RephraseTracker {
    /// Forgets the last question.
    pub(super) fn reset(&mut self) {
        if self.count > 0 {
            *self = RephraseTracker::default();
        }
    }

    pub(super) fn observe(
        &mut self,
        context: &StepContext<'_>,
        prints: &StepFingerprints<'_>,
        settings: &DriftSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        // A search after a wait is not a repetition.
        let Some(action) = context.action.filter(|_| !context.is_waited_for()) else { return };
        let texts = question_texts(action);
        // An argument that did not change (a folder, an option) is not part of the question.
        let asked = texts.iter().filter(|text| !self.values.contains(&key_of(text)));
        let asked = words(asked.map(|text| &**text));
        let shared = asked.iter().filter(|word| self.words.contains(word)).count();
        let fewer = asked.len().min(self.words.len());
        let alike =
            self.tool == prints.tool && fewer >= 3 && shared as f64 >= settings.likeness * fewer as f64;
        let (count, since) =
            if alike { (self.count.saturating_add(1), self.since) } else { (1, context.turn) };
        *self = RephraseTracker {
            tool: prints.tool,
            values: texts.iter().map(|text| key_of(text)).collect(),
            words: words(texts.iter().map(|text| &**text)),
            count,
            since,
        };
        let hard_at = settings.hard_at.saturating_mul(2);
        let severity = match count {
            _ if hard_at > 0 && count >= hard_at => Severity::Hard,
            _ if count >= settings.warn_at => Severity::Warn,
            _ => return,
        };
        let evidence = out.add(Detection {
            pattern: Pattern::Rephrased,
            family: LoopFamily::Action,
            identity: key_of_parts(&[prints.tool, HashKey(since), HashKey(9)]),
            since,
            severity: Some(severity),
            stage: 0,
            count,
            requested_intervention: None,
        });
        evidence.note("questions", count).quote("action", &action.line());
    }
}

/// Returns the distinct words of a question.
fn words<'t>(texts: impl Iterator<Item = &'t str>) -> BoundedList<HashKey, WORDS> {
    let mut words = BoundedList::default();
    let all = texts.flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
    for word in all.filter(|word| word.len() > 2) {
        let key = key_of_lower(word);
        if !words.contains(&key) {
            words.push(key);
        }
    }
    words
}
