//! `poll`: waiting that waits for nothing.
//!
//! Catches: the same waiting call with the same reply, 10 times (a warning), 20 times (hard): a dead poll.
//! Must not catch: a call whose reply moves on; a few quiet checks of a running job; a pause between two pieces of work.
//! Waiting is: a tool made for it (`bash_output`, `sleep`, …), or a call that was waited for.
//! From: complaints 5, 6, 11, 20.

use serde::{Deserialize, Serialize};

use super::{Detection, DetectionCollector, Detector, LoopFamily, Pattern, StepContext};
use crate::fingerprint::ActionKind;
use crate::memory::{KEY_BYTES, Key, Ring, key_of_parts};
use crate::settings::{Mode, SettingsChecks};
use crate::verdict::Severity;

/// Waiting that waits for nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PollSettings {
    /// Whether it acts.
    pub mode: Mode,
    /// Warn at so many equal waiting steps in a row.
    #[cfg_attr(feature = "schema", schemars(range(min = 2, max = 1000)))]
    pub warn_at: u32,
    /// Act at so many equal waiting steps in a row; 0 for never.
    pub hard_at: u32,
}

impl Default for PollSettings {
    fn default() -> Self {
        PollSettings { mode: Mode::Enforce, warn_at: 10, hard_at: 20 }
    }
}

impl PollSettings {
    pub(crate) fn check(&self, checks: &mut SettingsChecks) {
        checks.warns_first(self.warn_at, self.hard_at);
    }
}

/// How many calls are waited for side by side.
const CALLS: usize = 4;

/// The detector.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Poll {
    calls: Ring<Waiting>,
    /// Something new came in since the last wait.
    news: bool,
}

/// A call that is waited for, and how often it brought the same in a row.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Waiting {
    call: Key,
    pair: Key,
    count: u32,
    since: u64,
}

impl Detector for Poll {
    type Settings = PollSettings;

    fn bytes(&self, digits: usize) -> usize {
        35 + self.calls.len() * (60 + 2 * KEY_BYTES + digits)
    }

    fn observe(
        &mut self,
        context: &StepContext<'_>,
        settings: &PollSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        if context.step.user.is_some() || context.further {
            *self = Poll::default();
        }
        let Some(prints) = context.prints else { return };
        let waits = prints.kind == ActionKind::Wait;
        let fresh = Waiting { call: prints.call, pair: prints.pair, count: 0, since: context.turn };
        let known = self.calls.iter().find(|waiting| waiting.call == prints.call).copied();
        let repeated = known.filter(|waiting| waiting.pair == prints.pair);
        self.news |= !waits && repeated.is_none();
        // Whoever brought something home from the last wait may wait again.
        let worthwhile = waits && std::mem::take(&mut self.news);
        let mut waiting = repeated.filter(|_| !worthwhile).unwrap_or(fresh);
        let counts = waits || context.is_waited_for();
        waiting.count = waiting.count.saturating_add(u32::from(counts));
        self.calls.retain(|waiting| waiting.call != prints.call);
        self.calls.push(waiting, CALLS);
        if !counts {
            return;
        }
        let severity = if settings.hard_at > 0 && waiting.count >= settings.hard_at {
            Severity::Hard
        } else if waiting.count >= settings.warn_at {
            Severity::Warn
        } else {
            return;
        };
        let evidence = out.add(Detection {
            pattern: Pattern::DeadPoll,
            family: LoopFamily::Action,
            identity: key_of_parts(&[waiting.pair, 7]),
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
