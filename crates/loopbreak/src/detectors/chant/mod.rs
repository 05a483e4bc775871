//! `chant`: a text that repeats itself, or a message that is sent repeatedly.
//!
//! Catches: a text whose end repeats one unit (`chant`): a word 14,645 times, or a sentence or a paragraph at
//! least 4 times with at least 400 bytes in total; a message of some length that is sent 4 times while nothing new
//! is done (`repeated_message`), such as the 12th promise to do it differently; and short or blank messages again and
//! again, while nothing is done at all.
//! Must not catch: lists, tables, code, rules, dots, refrains, logs; a text that stopped repeating; a short
//! message before every call ("Let me continue."); the same words before calls that each do something new,
//! which is a batch; a conversation, because a message from the user resets every count.
//! Only texts of at least 400 bytes are searched, and only their last 16 kB.
//! Origin: complaints 3, 9, 15, 20, 21.

pub(crate) mod settings;
mod texts;

use self::settings::ChantSettings;
use super::{
    Detection, DetectionCollector, Detector, DetectorSubject, DetectorTexts, LoopFamily, Pattern,
    StepContext, StepDetector,
};
use crate::fingerprint::{ActionKind, outcome_key};
use crate::memory::{HashKey, RingBuffer, key_of_parts, snapshot_type};
use crate::text::chant::chant_of;
use crate::text::clip::clip;
use crate::text::normalize::normalize_whitespace_case;
use crate::verdict::Severity;

/// Number of messages, and of calls, that are remembered at the same time.
const KEPT: usize = 4;
/// Minimum number of words in a message.
const WORDS: usize = 8;
/// Maximum size of a message that is compared without regard to case and whitespace.
const MESSAGE_BYTES: usize = 2048;
/// Stands for a message without a word.
const BLANK: HashKey = HashKey(1);
/// Factor by which a single repetitive text must exceed `min_bytes` to be hard.
const UNMISTAKABLE: u64 = 10;

snapshot_type! {
    /// The detector `chant`.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(crate) struct ChantDetector {
        said: RingBuffer<SentMessage, KEPT>,
        /// The last calls with their outcomes. Any other call is new.
        calls: RingBuffer<HashKey, KEPT>,
        /// The last results of searches. A search that finds what another one found is not new.
        found: RingBuffer<HashKey, KEPT>,
        /// The last short messages, and the number in a row that were sent before while nothing was done.
        short: RingBuffer<HashKey, KEPT>,
        stale: u32,
        stale_since: u64,
        /// The turn since which every text repeats itself, and the number of such texts.
        since: u64,
        in_a_row: u32,
    }
}

snapshot_type! {
    /// A message and the number of times it was sent.
    #[derive(Clone, Copy, Debug)]
    struct SentMessage {
        key: HashKey,
        count: u32,
        since: u64,
    }
}

impl Detector for ChantDetector {
    type Settings = ChantSettings;

    const SUBJECT: DetectorSubject = DetectorSubject::Output;
    const TEXTS: &'static DetectorTexts = &texts::TEXTS;

    fn reads_fingerprints(_: &Self::Settings) -> bool {
        true
    }
}

impl StepDetector for ChantDetector {
    fn observe(
        &mut self,
        context: &StepContext<'_>,
        settings: &ChantSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        if context.origin.user || context.further {
            *self = ChantDetector::default();
        }
        if context.step.refused {
            return;
        }
        self.inside(context, settings, out);
        if self.is_new(context) {
            self.said.clear();
            self.short.clear();
            self.stale = 0;
        }
        self.messages(context, settings, out);
        self.short_messages(context, settings, out);
    }
}

impl ChantDetector {
    /// Searches the text of the step for a chant. A message of the agent is speech, the output of an
    /// iteration is a log.
    fn inside(
        &mut self,
        context: &StepContext<'_>,
        settings: &ChantSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        let step = context.step;
        let output = step.outcome.as_ref().filter(|_| step.action.is_none());
        let texts = [
            step.say.as_deref().map(|text| (text, false)),
            output.and_then(|output| output.text.as_deref()).map(|text| (text, true)),
        ];
        let mut any = false;
        for (text, log) in texts.into_iter().flatten() {
            any = true;
            let Some((chant, unit)) = chant_of(text, settings.warn_at, settings.min_bytes, log) else {
                continue;
            };
            if self.in_a_row == 0 {
                self.since = context.turn;
            }
            self.in_a_row = self.in_a_row.saturating_add(1);
            let rounds = u32::try_from(chant.rounds).unwrap_or(u32::MAX);
            let unmistakable =
                chant.bytes >= UNMISTAKABLE * u64::from(settings.min_bytes) || self.in_a_row > 1;
            let hard = unmistakable && !chant.structured && !log;
            let severity = settings.severity(rounds).filter(|_| hard).unwrap_or(Severity::Warn);
            let evidence = out.add(Detection {
                pattern: Pattern::Chant,
                family: LoopFamily::Output,
                identity: key_of_parts(&[HashKey(chant.key), HashKey(10)]),
                since: self.since,
                severity: Some(severity),
                stage: 0,
                count: self.in_a_row,
                requested_intervention: None,
            });
            evidence.note("rounds", rounds).note("words", chant.words).note("bytes", chant.bytes);
            evidence.quote("unit", unit);
            return;
        }
        if any {
            self.in_a_row = 0;
        }
    }

    /// Returns whether the step did something new. Then the same words mean something else.
    fn is_new(&mut self, context: &StepContext<'_>) -> bool {
        if context.moved {
            return true;
        }
        let Some(prints) = context.prints else { return context.step.action.is_some() };
        if prints.failed || self.calls.iter().any(|known| *known == prints.pair) {
            return false;
        }
        self.calls.push(prints.pair);
        if prints.kind == ActionKind::Search
            && let Some(outcome) = prints.outcome
        {
            if self.found.iter().any(|known| *known == outcome) {
                return false;
            }
            self.found.push(outcome);
        }
        true
    }

    /// Counts messages in a row, of any length, that were sent before while nothing is done.
    fn short_messages(
        &mut self,
        context: &StepContext<'_>,
        settings: &ChantSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        let step = context.step;
        let silent = step.action.is_some() || step.outcome.is_some() || step.task.is_some() || step.place.is_some();
        let Some(say) = step.say.as_deref().map(str::trim).filter(|_| !silent) else { return };
        let key = if say.is_empty() { BLANK } else { outcome_key(&normalize_whitespace_case(clip(say, MESSAGE_BYTES))) };
        if self.short.iter().any(|known| *known == key) {
            self.stale = self.stale.saturating_add(1);
        } else {
            self.short.push(key);
            (self.stale, self.stale_since) = (0, context.turn);
        }
        // A blank message says nothing at all, so half as many are enough.
        let factor = if key == BLANK { 1 } else { 2 };
        let limit = |limit: u32| (factor * limit).saturating_sub(factor);
        let severity = if settings.hard_at > 0 && self.stale >= limit(settings.hard_at) {
            Severity::Hard
        } else if self.stale >= limit(settings.warn_at) {
            Severity::Warn
        } else {
            return;
        };
        let evidence = out.add(Detection {
            pattern: Pattern::RepeatedMessage,
            family: LoopFamily::Output,
            identity: key_of_parts(&[HashKey(self.stale_since), HashKey(12)]),
            since: self.stale_since,
            severity: Some(severity),
            stage: 0,
            count: self.stale + 1,
            requested_intervention: None,
        });
        evidence.note("times", self.stale + 1).quote("message", say);
    }

    fn messages(
        &mut self,
        context: &StepContext<'_>,
        settings: &ChantSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        let Some(say) = context.step.say.as_deref().map(str::trim) else { return };
        if say.len() < settings.min_message as usize || say.split_whitespace().nth(WORDS - 1).is_none() {
            return;
        }
        // Long messages that only begin in the same way are different: the rest and the length count too.
        let key = if say.len() <= MESSAGE_BYTES {
            outcome_key(&normalize_whitespace_case(say))
        } else {
            outcome_key(say)
        };
        let known = self.said.iter().find(|said| said.key == key).copied();
        let mut said = known.unwrap_or(SentMessage { key, count: 0, since: context.turn });
        said.count = said.count.saturating_add(1);
        self.said.retain(|said| said.key != key);
        self.said.push(said);
        let Some(severity) = settings.severity(said.count) else { return };
        let evidence = out.add(Detection {
            pattern: Pattern::RepeatedMessage,
            family: LoopFamily::Output,
            identity: key_of_parts(&[key, HashKey(11)]),
            since: said.since,
            severity: Some(severity),
            stage: 0,
            count: said.count,
            requested_intervention: None,
        });
        evidence.note("times", said.count).quote("message", say);
    }
}
