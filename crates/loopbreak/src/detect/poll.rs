//! `poll`: waiting that waits for nothing.
//!
//! Catches: the same waiting call with the same reply, 10 times (a warning), 20 times (hard): a dead poll.
//! Must not catch: a call whose reply moves on; a few quiet checks of a running job; a wait that the log declares.
//! Waiting is: a tool made for it (`bash_output`, `sleep`, …), or the same call spaced in time.
//! From: complaints 5, 6, 11, 20.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Detector, Family, Scene, Sighting, Sightings};
use crate::config::{Checks, Mode};
use crate::fingerprint::Kind;
use crate::memory::{KEY_BYTES, Key, key_of_parts};
use crate::verdict::Severity;

/// Waiting that waits for nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PollSettings {
    /// Whether it acts.
    pub mode: Mode,
    /// Warn at so many equal waiting steps in a row.
    #[schemars(range(min = 2, max = 1000))]
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
    pub(crate) fn check(&self, checks: &mut Checks) {
        checks.warns_first(self.warn_at, self.hard_at);
    }
}

/// The pattern of its findings.
pub(crate) const PATTERN: &str = "dead_poll";

/// From this time between two steps on, the later one was waited for.
const SPACED_MS: i64 = 20_000;

/// The detector.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Poll {
    last: Key,
    count: u32,
    since: u64,
}

impl Detector for Poll {
    type Settings = PollSettings;

    fn bytes(&self, digits: usize) -> usize {
        50 + KEY_BYTES + digits
    }

    fn observe(&mut self, scene: &Scene<'_>, settings: &PollSettings, out: &mut Sightings<'_>) {
        if scene.step.user.is_some() || scene.further {
            *self = Poll::default();
        }
        let Some(prints) = scene.prints else { return };
        if prints.kind != Kind::Wait && !is_spaced(scene) {
            return;
        }
        if prints.pair == self.last {
            self.count = self.count.saturating_add(1);
        } else {
            (self.last, self.count, self.since) = (prints.pair, 1, scene.turn);
        }
        let severity = if settings.hard_at > 0 && self.count >= settings.hard_at {
            Severity::Hard
        } else if self.count >= settings.warn_at {
            Severity::Warn
        } else {
            return;
        };
        let evidence = out.sight(Sighting {
            pattern: PATTERN,
            family: Family::Action,
            identity: key_of_parts(&[self.last, 7]),
            since: self.since,
            severity: Some(severity),
            stage: 0,
            count: self.count,
            wish: None,
        });
        evidence.note("polls", self.count);
        if let Some(action) = &scene.step.action {
            evidence.quote("action", &action.line());
        }
        if let Some(text) = scene.step.outcome.as_ref().and_then(|outcome| outcome.text.as_deref()) {
            evidence.quote("outcome", text);
        }
    }
}

/// Whether so much time passed since the step before that this one was waited for.
pub(crate) fn is_spaced(scene: &Scene<'_>) -> bool {
    scene.passed.is_some_and(|passed| passed >= SPACED_MS)
}
