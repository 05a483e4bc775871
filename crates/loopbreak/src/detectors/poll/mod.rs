//! `poll`: waiting without a result.
//!
//! Catches: the same waiting call with the same reply, 10 times (a warning) or 20 times (hard). This is a
//! dead poll.
//! Must not catch: a call whose reply changes; a few checks of a running job; a pause between two pieces of
//! work.
//! A call counts as waiting if its tool is made for it (`bash_output`, `sleep`, …), or if it came after a
//! pause.
//! Origin: complaints 5, 6, 11, 20.

pub(crate) mod settings;
mod texts;

use self::settings::PollSettings;
use super::{
    Detection, DetectionCollector, Detector, DetectorSubject, DetectorTexts, LoopFamily, Pattern,
    StepContext, StepDetector,
};
use crate::fingerprint::{ActionKind, StepFingerprints};
use crate::memory::{HashKey, RingBuffer, key_of_parts, snapshot_type};
use crate::verdict::Severity;

/// Number of waiting calls that are tracked at the same time.
const CALLS: usize = 8;

/// Weight of a plain wait. The limits count these.
const PLAIN: u32 = 2;
/// Weight of a call to a service that is not available. The agent can do nothing but try again later.
const UNAVAILABLE: u32 = 1;
/// Weight of a wait whose result is not logged, so that nothing shows what it waits for.
const UNLOGGED: u32 = 5;

snapshot_type! {
    /// The detector `poll`.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(crate) struct PollDetector {
        calls: RingBuffer<WaitingCall, CALLS>,
        /// True if a call since the last wait brought something new.
        news: bool,
    }
}

snapshot_type! {
    /// A call that is waited for, and the number of times in a row that it had the same result.
    #[derive(Clone, Copy, Debug)]
    struct WaitingCall {
        call: HashKey,
        pair: HashKey,
        count: u32,
        #[serde(default)]
        weight: u32,
        since: u64,
    }
}

impl Detector for PollDetector {
    type Settings = PollSettings;

    const SUBJECT: DetectorSubject = DetectorSubject::Wait;
    const TEXTS: &'static DetectorTexts = &texts::TEXTS;

    fn reads_fingerprints(_: &Self::Settings) -> bool {
        true
    }
}

impl StepDetector for PollDetector {
    fn observe(
        &mut self,
        context: &StepContext<'_>,
        settings: &PollSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        if context.origin.user || context.further {
            *self = PollDetector::default();
        }
        let Some(prints) = context.prints else { return };
        let waits = prints.kind == ActionKind::Wait;
        let fresh = WaitingCall { call: prints.call, pair: prints.pair, count: 0, weight: 0, since: context.turn };
        let known = self.calls.iter().find(|waiting| waiting.call == prints.call).copied();
        let repeated = known.filter(|waiting| waiting.pair == prints.pair);
        self.news |= !waits && repeated.is_none();
        // A wait after which something new was done was worthwhile, so the count starts again.
        let worthwhile = waits && std::mem::take(&mut self.news);
        let mut waiting = repeated.filter(|_| !worthwhile).unwrap_or(fresh);
        let counts = waits || context.is_waited_for();
        if counts {
            waiting.count = waiting.count.saturating_add(1);
            waiting.weight = waiting.weight.saturating_add(weight(context, prints));
        }
        self.calls.retain(|waiting| waiting.call != prints.call);
        self.calls.push(waiting);
        if !counts {
            return;
        }
        let reached = |limit: u32| waiting.weight >= limit.saturating_mul(PLAIN);
        let severity = if settings.hard_at > 0 && reached(settings.hard_at) {
            Severity::Hard
        } else if reached(settings.warn_at) {
            Severity::Warn
        } else {
            return;
        };
        let evidence = out.add(Detection {
            pattern: Pattern::DeadPoll,
            family: LoopFamily::Action,
            identity: key_of_parts(&[waiting.pair, HashKey(7)]),
            since: waiting.since,
            severity: Some(severity),
            stage: 0,
            count: waiting.count,
            requested_intervention: None,
        });
        evidence.note("polls", waiting.count);
        if let Some(action) = &context.step.action {
            evidence.quote("action", &action.line());
        }
        if let Some(text) = context.step.outcome.as_ref().and_then(|outcome| outcome.text.as_deref()) {
            evidence.quote("outcome", text);
        }
    }
}

/// Returns the weight of a wait.
fn weight(context: &StepContext<'_>, prints: &StepFingerprints<'_>) -> u32 {
    if prints.unavailable {
        UNAVAILABLE
    } else if prints.kind == ActionKind::Wait && prints.outcome.is_none() && !context.is_spaced() {
        UNLOGGED
    } else {
        PLAIN
    }
}
