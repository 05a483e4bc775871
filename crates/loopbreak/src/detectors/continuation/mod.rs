//! `continuation`: the harness sends the agent on, and nothing new is done.
//!
//! Catches: turns that a goal, a stop hook, a scheduler or an empty prompt starts, in which the agent only repeats what
//! it said, looks at its own status or makes a call that it made before. Warns after 4 such turns, hard after 8.
//! Must not catch: turns in which the agent does anything new; a few turns of waiting; turns with a pause before them,
//! which count two fifths, because waiting for a long job is a state; turns after a message from the user or a
//! notification of a background job.
//! Origin: second collection of complaints, 1 to 6.

pub(crate) mod settings;
#[cfg(test)]
mod tests;
mod texts;

use self::settings::ContinuationSettings;
use super::repetition::{WHOLE, whole};
use super::{
    Detection, DetectionCollector, Detector, DetectorSubject, DetectorTexts, LoopFamily, Pattern,
    StepContext, StepDetector,
};
use crate::fingerprint::{ActionKind, words_of};
use crate::memory::{HashKey, RingBuffer, key_of_parts, snapshot_type};
use crate::step::HarnessEvent;
use crate::verdict::Severity;

/// Number of calls with their outcomes that are remembered. Any other call is new.
const CALLS: usize = 32;
/// Weight of a turn with a pause before it.
const SPACED: u32 = 2;

/// Words in the names of tools by which an agent looks at its own status.
const STATUS: [&str; 7] = ["goal", "goals", "status", "todo", "todos", "plan", "progress"];

snapshot_type! {
    /// The detector `continuation`.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(crate) struct ContinuationDetector {
        calls: RingBuffer<HashKey, CALLS>,
        /// True while a turn that the harness started goes on, and true if something new was done in it.
        started: bool,
        deed: bool,
        /// Weight of the current turn, and number and weight of the turns in a row without a deed.
        weight: u32,
        turns: u32,
        total: u32,
        since: u64,
    }
}

impl Detector for ContinuationDetector {
    type Settings = ContinuationSettings;

    const SUBJECT: DetectorSubject = DetectorSubject::Effect;
    const TEXTS: &'static DetectorTexts = &texts::TEXTS;

    fn reads_fingerprints(_: &Self::Settings) -> bool {
        true
    }
}

impl StepDetector for ContinuationDetector {
    fn observe(
        &mut self,
        context: &StepContext<'_>,
        settings: &ContinuationSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        if context.origin.user || context.further || context.origin.harness == Some(HarnessEvent::Notification) {
            let calls = std::mem::take(&mut self.calls);
            *self = ContinuationDetector { calls, ..ContinuationDetector::default() };
        }
        if context.origin.harness == Some(HarnessEvent::Continuation) {
            self.start_turn(context);
            self.report(settings, out);
        }
        if !context.step.refused {
            self.deed |= self.is_new_deed(context);
        }
    }
}

impl ContinuationDetector {
    /// Ends the turn before, and starts one that the harness caused.
    fn start_turn(&mut self, context: &StepContext<'_>) {
        if self.started && !self.deed {
            self.turns = self.turns.saturating_add(1);
            self.total = self.total.saturating_add(self.weight);
        } else {
            (self.turns, self.total, self.since) = (0, 0, context.turn);
        }
        (self.started, self.deed) = (true, false);
        self.weight = if context.is_spaced() { SPACED } else { WHOLE };
    }

    /// Returns whether a step does something new. Waiting and a look at one's own status are nothing new.
    fn is_new_deed(&mut self, context: &StepContext<'_>) -> bool {
        let (Some(prints), Some(action)) = (context.prints, context.action) else { return false };
        let looks_at_status =
            || words_of(&action.name).any(|word| STATUS.iter().any(|known| word.eq_ignore_ascii_case(known)));
        // Most runs have no turns that the harness starts.
        if !self.started {
            return true;
        }
        if self.calls.iter().any(|known| *known == prints.pair) {
            return false;
        }
        self.calls.push(prints.pair);
        // The reply to a wait that moves on is new.
        let idle = prints.kind == ActionKind::Say || prints.unavailable || looks_at_status();
        let waits_unseen = prints.kind == ActionKind::Wait && prints.outcome.is_none();
        !idle && !waits_unseen
    }

    fn report(&self, settings: &ContinuationSettings, out: &mut DetectionCollector<'_>) {
        let reached = |limit: u32| limit > 0 && self.total >= whole(limit);
        let severity = if reached(settings.hard_at) {
            Severity::Hard
        } else if reached(settings.warn_at) {
            Severity::Warn
        } else {
            return;
        };
        let evidence = out.add(Detection {
            pattern: Pattern::IdleContinuation,
            family: LoopFamily::Output,
            identity: key_of_parts(&[HashKey(self.since), HashKey(15)]),
            since: self.since,
            severity: Some(severity),
            stage: 0,
            count: self.turns,
            requested_intervention: None,
        });
        evidence.note("rounds", self.turns);
    }
}
