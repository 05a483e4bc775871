//! `recurrence`: the same action with the same outcome again and again, whatever lies between.
//!
//! Catches: a run in which many of the last steps were all there before (`recycling`), however they are mixed. It is the loop that no period shows: 164 reads of
//! one file that wrap around, a handful of failing calls in ever new order.
//! Must not catch: a run that gets further meanwhile; the same call after a change, which is another experiment; a few repeats in a long run; waiting.
//! From: complaints 15, 16, 21, 23.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Detector, Family, Scene, Sighting, Sightings};
use crate::config::{Checks, Mode};
use crate::fingerprint::Kind;
use crate::memory::{KEY_BYTES, Key, Lru, Ring, key_of, key_of_parts};
use crate::verdict::Severity;

/// The same action with the same outcome again and again, whatever lies between.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RecurrenceSettings {
    /// Whether it acts.
    pub mode: Mode,
    /// How many of the last steps with an action are looked at.
    #[schemars(range(min = 8, max = 60))]
    pub window: u32,
    /// Warn at so many repeats among them.
    #[schemars(range(min = 2, max = 1000))]
    pub warn_at: u32,
    /// Act at so many repeats among them; 0 for never.
    pub hard_at: u32,
}

impl Default for RecurrenceSettings {
    fn default() -> Self {
        RecurrenceSettings { mode: Mode::Enforce, window: 30, warn_at: 6, hard_at: 20 }
    }
}

impl RecurrenceSettings {
    pub(crate) fn check(&self, checks: &mut Checks) {
        checks.within("window", self.window, &(8..=60));
        checks.warns_first(self.warn_at, self.hard_at);
    }
}

/// The pattern of its findings.
pub(crate) const PATTERN: &str = "recycling";

/// How many fingerprints of all agents together are remembered.
const KNOWN: usize = 192;
/// For how many agents the last steps are kept.
const AGENTS: usize = 16;

/// The detector. One store for all agents of the run: fingerprints differ by agent.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Recurrence {
    known: Lru<u64>,
    agents: Ring<Recent>,
}

/// Which of an agent's last steps were there before: a bit each, the newest lowest.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Recent {
    agent: Key,
    repeats: u64,
    first: u64,
}

impl Detector for Recurrence {
    type Settings = RecurrenceSettings;

    fn bytes(&self, digits: usize) -> usize {
        40 + self.known.len() * (KEY_BYTES + digits + 4) + self.agents.len() * (60 + KEY_BYTES + digits)
    }

    fn observe(&mut self, scene: &Scene<'_>, settings: &RecurrenceSettings, out: &mut Sightings<'_>) {
        let Some(prints) = scene.prints else { return };
        if prints.kind == Kind::Wait || scene.moved || super::poll::is_spaced(scene) {
            return;
        }
        let agent = key_of(scene.agent);
        let here = scene.trail.here().unwrap_or_default();
        let pair = key_of_parts(&[agent, prints.pair, here]);
        let repeated = self.known.touch(pair).is_some();
        let first = *self.known.touch_or_insert(pair, || scene.turn);
        while self.known.len() > KNOWN {
            self.known.pop_oldest();
        }
        let mut recent = self.agents.iter().find(|recent| recent.agent == agent).copied().unwrap_or(Recent {
            agent,
            repeats: 0,
            first,
        });
        self.agents.retain(|recent| recent.agent != agent);
        if scene.step.user.is_some() || scene.further {
            recent.repeats = 0;
        }
        if recent.repeats == 0 {
            recent.first = first;
        }
        let window = (1_u64 << settings.window) - 1;
        recent.repeats = ((recent.repeats << 1) | u64::from(repeated)) & window;
        self.agents.push(recent, AGENTS);
        let count = recent.repeats.count_ones();
        if !repeated || count < 2 {
            return;
        }
        let severity = if settings.hard_at > 0 && count >= settings.hard_at {
            Some(Severity::Hard)
        } else if count >= settings.warn_at {
            Some(Severity::Warn)
        } else {
            None
        };
        let evidence = out.sight(Sighting {
            pattern: PATTERN,
            family: Family::Action,
            identity: key_of_parts(&[agent, 6]),
            since: recent.first,
            severity,
            stage: 0,
            count,
            wish: None,
        });
        evidence.note("repeats", count).note("window", settings.window).note("first_turn", first);
        if let Some(action) = &scene.step.action {
            evidence.quote("action", &action.line());
        }
    }
}
