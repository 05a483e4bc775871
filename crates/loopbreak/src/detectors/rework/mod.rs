//! `rework`: after a compaction, what was done is done again.
//!
//! Catches: calls of before a compaction that are made again with the same result, beyond what picking up the thread
//! needs (`redone`); compactions in a row after each of which mostly known calls are made and nothing is changed; and
//! compactions that follow each other with nothing between them (`compaction_spin`).
//! Must not catch: a few files that are read again after a compaction; a file that was changed since; tests that run
//! again after an edit; a run without compactions.
//! Origin: second collection of complaints, 7 to 13.

pub(crate) mod settings;
#[cfg(test)]
mod tests;
mod texts;

use self::settings::ReworkSettings;
use super::{
    Detection, DetectionCollector, Detector, DetectorSubject, DetectorTexts, LoopFamily, Pattern,
    StepContext, StepDetector,
};
use crate::evidence::redact_and_truncate;
use crate::fingerprint::ActionKind;
use crate::memory::{ClippedText, HashKey, LruMap, key_of, key_of_parts, snapshot_type};
use crate::step::HarnessEvent;
use crate::verdict::Severity;

/// Number of calls that are remembered.
const CALLS: usize = 96;
/// Length of the text that is kept of a result, in bytes.
const FOUND_BYTES: usize = 40;
/// Number of calls below which a compaction follows another one with nothing between them.
const FEW: u32 = 2;
/// Number of compactions in a row, with nothing between them, that gives a warning.
const SPIN: u32 = 3;

snapshot_type! {
    /// The detector `rework`. It has one store for all agents of the run.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(crate) struct ReworkDetector {
        /// Calls with their results, by agent.
        done: LruMap<DoneCall, CALLS>,
        compactions: u32,
        /// Calls since the last compaction, and the number of them that were made before it.
        calls: u32,
        redone: u32,
        changed: bool,
        /// Compactions in a row after which mostly known calls were made, and those with nothing between them.
        vain: u32,
        spin: u32,
        since: u64,
        spin_since: u64,
        /// The result of the first call that was made again.
        found: ClippedText<FOUND_BYTES>,
        found_turn: u64,
    }
}

snapshot_type! {
    /// A call that was made.
    #[derive(Clone, Debug)]
    struct DoneCall {
        #[serde(rename = "c")]
        compactions: u32,
        #[serde(rename = "t")]
        turn: u64,
    }
}

impl Detector for ReworkDetector {
    type Settings = ReworkSettings;

    const SUBJECT: DetectorSubject = DetectorSubject::Call;
    const TEXTS: &'static DetectorTexts = &texts::TEXTS;

    fn reads_fingerprints(_: &Self::Settings) -> bool {
        true
    }
}

impl StepDetector for ReworkDetector {
    fn observe(
        &mut self,
        context: &StepContext<'_>,
        settings: &ReworkSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        if context.origin.user || context.further {
            (self.vain, self.spin, self.calls, self.redone) = (0, 0, 0, 0);
        }
        if context.origin.harness == Some(HarnessEvent::Compaction) {
            self.compact(context, settings, out);
        }
        let Some(prints) = context.prints.filter(|_| !context.step.refused) else { return };
        self.changed |= prints.effect;
        if matches!(prints.kind, ActionKind::Wait | ActionKind::Say) || prints.outcome.is_none() {
            return;
        }
        self.calls = self.calls.saturating_add(1);
        let key = key_of_parts(&[key_of(context.agent), prints.pair]);
        let (compactions, turn) = (self.compactions, context.turn);
        let known = self.done.touch_or_insert(key, || DoneCall { compactions, turn });
        let before = known.turn;
        let again = known.compactions < compactions;
        known.compactions = compactions;
        if again {
            self.redo(context, before, settings, out);
        }
    }
}

impl ReworkDetector {
    /// Records a compaction.
    fn compact(
        &mut self,
        context: &StepContext<'_>,
        settings: &ReworkSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        if self.compactions > 0 {
            let vain = !self.changed && self.redone > 0 && 2 * self.redone >= self.calls;
            self.vain = if vain { self.vain.saturating_add(1) } else { 0 };
            self.spin = if self.calls < FEW { self.spin.saturating_add(1) } else { 0 };
        }
        if self.spin == 0 {
            self.spin_since = context.turn;
        }
        self.compactions = self.compactions.saturating_add(1);
        (self.calls, self.redone, self.changed) = (0, 0, false);
        if self.vain == 0 {
            self.since = context.turn;
        }
        if self.spin + 1 >= SPIN {
            let hard = settings.hard_at > 0 && self.spin + 1 >= 2 * SPIN;
            let evidence = out.add(Detection {
                pattern: Pattern::CompactionSpin,
                family: LoopFamily::Effect,
                identity: key_of_parts(&[HashKey(self.spin_since), HashKey(17)]),
                since: self.spin_since,
                severity: Some(if hard { Severity::Hard } else { Severity::Warn }),
                stage: 0,
                count: self.spin + 1,
                requested_intervention: None,
            });
            evidence.note("rounds", self.spin + 1);
        }
    }

    /// Records a call that was made before the last compaction, with the same result.
    fn redo(
        &mut self,
        context: &StepContext<'_>,
        before: u64,
        settings: &ReworkSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        self.redone = self.redone.saturating_add(1);
        if self.redone == 1 {
            let text = context.step.outcome.as_ref().and_then(|outcome| outcome.text.as_deref());
            let line = text.and_then(|text| text.lines().find(|line| !line.trim().is_empty()));
            self.found = ClippedText::from(redact_and_truncate(line.unwrap_or_default().trim()));
            self.found_turn = before;
        }
        let mostly = 2 * self.redone >= self.calls;
        let rounds = self.vain + u32::from(self.redone >= FEW);
        let severity = if !mostly {
            return;
        } else if settings.hard_at > 0 && (self.redone >= settings.hard_at || rounds > settings.rounds_hard_at) {
            Severity::Hard
        } else if self.redone >= settings.warn_at || rounds >= settings.rounds_warn_at {
            Severity::Warn
        } else {
            return;
        };
        let evidence = out.add(Detection {
            pattern: Pattern::Redone,
            family: LoopFamily::Effect,
            identity: key_of_parts(&[HashKey(self.since), HashKey(16)]),
            since: self.since,
            severity: Some(severity),
            stage: 0,
            count: self.redone.max(rounds),
            requested_intervention: None,
        });
        evidence.note("repeats", self.redone).note("rounds", rounds).note("first_turn", self.found_turn);
        if let Some(action) = &context.step.action {
            evidence.quote("action", &action.line());
        }
        evidence.quote("outcome", &self.found);
    }
}
