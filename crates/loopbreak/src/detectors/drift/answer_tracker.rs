//! A tool that gives one answer, whatever it is asked.

use super::settings::DriftSettings;
use crate::detectors::repetition::WHOLE;
use crate::detectors::{Detection, DetectionCollector, LoopFamily, Pattern, StepContext};
use crate::facts::has_question;
use crate::fingerprint::{ActionKind, StepFingerprints};
use crate::memory::{HashKey, RingBuffer, key_of_parts, snapshot_type};

/// Number of answers that are tracked at the same time.
const ANSWERS: usize = 4;
/// Minimum size of an answer in bytes. A shorter one is an acknowledgement.
const SHORTEST: usize = 40;
/// Length limit of an answer that may say nothing. A longer one has content.
const LONGEST_NOTHING: usize = 200;

/// Phrases, in lower case, of answers that say that there is nothing, or that something was done. Many different
/// questions can have them.
const SAYS_NOTHING: [&str; 20] = [
    "no match", "no result", "no file", "no such", "not found", "nothing", "no output", "no data", "no content",
    "none", "0 results", "empty", "success", "has been", "updated", "created", "saved", "done", "completed", "added",
];

snapshot_type! {
    /// The last answers of tools.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(super) struct AnswerTracker {
        answers: RingBuffer<RepeatedAnswer, ANSWERS>,
    }
}

snapshot_type! {
    /// One answer of one tool.
    #[derive(Clone, Copy, Debug)]
    struct RepeatedAnswer {
        key: HashKey,
        /// The last call that got it.
        call: HashKey,
        count: u32,
        weight: u32,
        since: u64,
    }
}

impl AnswerTracker {
    pub(super) fn observe(
        &mut self,
        context: &StepContext<'_>,
        prints: &StepFingerprints<'_>,
        settings: &DriftSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        if prints.effect {
            self.answers.clear();
        }
        let text = context.step.outcome.as_ref().and_then(|outcome| outcome.text.as_deref()).map(str::trim);
        let (Some(answer), Some(text)) = (prints.outcome, text) else { return };
        // Other tools may acknowledge many different orders in the same words.
        let asks = match prints.kind {
            ActionKind::Read | ActionKind::Search => true,
            ActionKind::Other => context.action.is_some_and(has_question),
            _ => false,
        };
        let structured = context.action.is_some_and(crate::step::Action::is_structured);
        if !asks || !structured || prints.failed || context.moved {
            return;
        }
        if text.len() < SHORTEST || says_nothing(text) {
            return;
        }
        let key = key_of_parts(&[prints.tool, answer]);
        let fresh =
            RepeatedAnswer { key, call: prints.call, count: 1, weight: WHOLE, since: context.turn };
        let Some(known) = self.answers.iter_mut().find(|known| known.key == key) else {
            self.answers.push(fresh);
            return;
        };
        // The same question is judged by `cycle`.
        if known.call != prints.call {
            known.count = known.count.saturating_add(1);
            known.weight = known.weight.saturating_add(context.weight());
            known.call = prints.call;
        }
        let repeated = *known;
        let Some(severity) = settings.severity(repeated.weight) else { return };
        let evidence = out.add(Detection {
            pattern: Pattern::SameAnswer,
            family: LoopFamily::Action,
            identity: key_of_parts(&[key, HashKey(18)]),
            since: repeated.since,
            severity: Some(severity),
            stage: 0,
            count: repeated.count,
            requested_intervention: None,
        });
        evidence.note("questions", repeated.count).quote("outcome", text);
        if let Some(action) = &context.step.action {
            evidence.quote("action", &action.line());
        }
    }
}

fn says_nothing(text: &str) -> bool {
    text.len() <= LONGEST_NOTHING && {
        let text = text.to_ascii_lowercase();
        SAYS_NOTHING.iter().any(|phrase| text.contains(phrase))
    }
}
