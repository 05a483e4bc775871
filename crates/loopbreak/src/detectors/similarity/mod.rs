//! `similarity`: the output of an iteration is nearly identical to a recent one.
//!
//! Catches: an output at least 0.90 similar (normalized indel similarity, as `rapidfuzz.ratio`) to one of the
//! last 5. The first match is a hint, the second in a row is hard if it is as far back as the first (A A A, or
//! A B A B), and the third in any case.
//! Must not catch: outputs that differ in more than a tenth; one retry, also of an output that was there
//! before (A B A A). Reads only steps without an action,
//! unless `scope = "all"`. Texts over 4 kB are compared by their first and last 2 kB, and only with texts of
//! similar length.
//! Origin: document 004, Ralph's approach. Mistake 11: it is always available, because it needs no library.

pub(crate) mod settings;
#[cfg(test)]
mod tests;
mod texts;

use self::settings::SimilaritySettings;
use std::borrow::Cow;

use super::signature::output;
use super::{
    Detection, DetectionCollector, Detector, DetectorSubject, DetectorTexts, LoopFamily, Pattern,
    StepContext, StepDetector,
};
use crate::evidence::{EvidenceValue, whole_or_float};
use crate::memory::{HashKey, RingBuffer, SnapshotSize, key_of, key_of_parts, snapshot_type};
use crate::text::clip::{clip, head_and_tail};
use crate::text::mask_secrets;
use crate::text::similarity::{PreparedText, ratio_at_least};
use crate::verdict::Severity;

/// Number of bytes at each end of a long text that are searched for secrets. Less than half of them are kept.
const SEARCHED_BYTES: usize = 8 * 1024;
/// Maximum size of a text that is kept for comparison, and maximum snapshot size of all kept texts together.
const TEXT_BYTES: usize = 4 * 1024;
const ALL_BYTES: usize = 20 * 1024;
/// Number of texts that are kept, the largest window that the settings allow.
const TEXTS: usize = 20;

snapshot_type! {
    /// The detector `similarity`. It compares each agent only with itself, but has one store for all agents,
    /// because texts are large.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(crate) struct SimilarityDetector {
        kept: RingBuffer<RememberedOutput, TEXTS>,
        /// Snapshot size of the kept texts.
        bytes: usize,
        /// Number of matches in a row, for each agent that has any.
        streaks: RingBuffer<MatchStreak, AGENTS>,
    }
}

snapshot_type! {
    #[derive(Clone, Debug)]
    struct RememberedOutput {
        agent: HashKey,
        turn: u64,
        /// Length of the whole text, before it was cut.
        length: usize,
        whole: HashKey,
        text: PreparedText,
    }
}

snapshot_type! {
    #[derive(Clone, Debug)]
    struct MatchStreak {
        agent: HashKey,
        matches: u32,
        /// Number of outputs between an output and the one that it matches, and number of matches in a row at
        /// this distance.
        #[serde(default)]
        distance: u32,
        #[serde(default)]
        steady: u32,
        since: u64,
        identity: HashKey,
    }
}

/// Number of agents whose streaks are kept.
const AGENTS: usize = 16;

impl Detector for SimilarityDetector {
    type Settings = SimilaritySettings;

    const SUBJECT: DetectorSubject = DetectorSubject::Output;
    const IN_DOCUMENTS_PROFILE: bool = true;
    const TEXTS: &'static DetectorTexts = &texts::TEXTS;
}

impl StepDetector for SimilarityDetector {
    fn observe(
        &mut self,
        context: &StepContext<'_>,
        settings: &SimilaritySettings,
        out: &mut DetectionCollector<'_>,
    ) {
        if context.origin.user {
            *self = SimilarityDetector::default();
        }
        let Some(text) = output(context.step, settings.scope).filter(|_| !context.unavailable) else { return };
        let agent = key_of(context.agent);
        let new = RememberedOutput {
            agent,
            turn: context.turn,
            length: text.len(),
            whole: key_of(&text),
            text: PreparedText::new(kept_text(&text)),
        };
        let like =
            self.kept.newest().filter(|old| old.agent == agent).take(settings.window as usize).zip(1..).find_map(
                |(old, distance)| {
                    let similarity = old.likeness(&new, settings.threshold)?;
                    Some((similarity, old.turn, old.whole, distance))
                },
            );
        let same = self.kept.newest().filter(|old| old.agent == agent);
        let identical = 1 + same.take_while(|old| old.whole == new.whole).count();
        self.keep(new);
        let before = self.streaks.iter().find(|streak| streak.agent == agent).cloned();
        let Some((similarity, like_turn, whole, distance)) = like else {
            self.forget_streak(agent);
            return;
        };
        let streak = match before {
            Some(streak) => MatchStreak {
                matches: streak.matches.saturating_add(1),
                steady: if streak.distance == distance { streak.steady.saturating_add(1) } else { 1 },
                distance,
                ..streak
            },
            None => MatchStreak {
                agent,
                matches: 1,
                distance,
                steady: 1,
                since: like_turn,
                identity: key_of_parts(&[whole, HashKey(5)]),
            },
        };
        self.forget_streak(agent);
        self.streaks.push(streak.clone());
        let evidence = out.add(Detection {
            pattern: Pattern::SimilarOutput,
            family: LoopFamily::Output,
            identity: streak.identity,
            since: streak.since,
            severity: Some(if streak.is_loop(settings.hard_at) { Severity::Hard } else { Severity::Hint }),
            stage: 0,
            count: streak.matches,
            requested_intervention: None,
        });
        evidence.note("similarity", shown_similarity(similarity)).note("like_turn", like_turn).quote("output", &text);
        if identical > 2 {
            evidence.note("identical", identical);
        }
    }
}

/// Cuts a similarity to four decimals. It is not rounded: only identical outputs have a similarity of 1.
fn shown_similarity(similarity: f64) -> EvidenceValue {
    whole_or_float((similarity * 1e4).floor() / 1e4)
}

/// A text is cut to `TEXT_BYTES` before it is prepared.
impl SnapshotSize for PreparedText {
    const VARIES: bool = true;

    fn max_bytes(_: usize) -> usize {
        TEXT_BYTES + "\"\"".len()
    }

    fn snapshot_bytes(&self, _: usize) -> usize {
        self.escaped_len() + "\"\"".len()
    }
}

impl SimilarityDetector {
    fn keep(&mut self, output: RememberedOutput) {
        self.kept.push(output);
        let (mut fit, mut bytes) = (0, 0);
        for output in self.kept.newest() {
            let more = bytes + output.text.escaped_len();
            if more > ALL_BYTES {
                break;
            }
            (fit, bytes) = (fit + 1, more);
        }
        self.kept.keep_newest(fit);
        self.bytes = bytes;
    }

    fn forget_streak(&mut self, agent: HashKey) {
        self.streaks.retain(|streak| streak.agent != agent);
    }
}

impl MatchStreak {
    /// Returns whether the matches are a loop. In A B A A the second match is only a retry of the third output: the
    /// distance changes, so one more match is needed.
    fn is_loop(&self, hard_at: u32) -> bool {
        self.steady >= hard_at || self.matches > hard_at
    }
}

/// Returns the part of an output that is kept for comparison, without secrets: a snapshot contains it.
fn kept_text(text: &str) -> Cow<'static, str> {
    let masked = if text.len() <= 2 * SEARCHED_BYTES {
        mask_secrets(text)
    } else {
        let tail = &text[text.ceil_char_boundary(text.len() - SEARCHED_BYTES)..];
        Cow::Owned([mask_secrets(clip(text, SEARCHED_BYTES)), mask_secrets(tail)].concat())
    };
    Cow::Owned(head_and_tail(&masked, TEXT_BYTES).into_owned())
}

impl RememberedOutput {
    /// Returns the similarity of two outputs if it reaches the threshold.
    fn likeness(&self, other: &RememberedOutput, threshold: f64) -> Option<f64> {
        if self.whole == other.whole && self.length == other.length {
            return Some(1.0);
        }
        // Indel similarity cannot exceed what the lengths allow, and the cut texts no longer show their
        // lengths.
        let (short, long) = (self.length.min(other.length) as f64, self.length.max(other.length) as f64);
        if long > TEXT_BYTES as f64 && 2.0 * short < threshold * (short + long) {
            return None;
        }
        ratio_at_least(&self.text, &other.text, threshold)
    }
}
