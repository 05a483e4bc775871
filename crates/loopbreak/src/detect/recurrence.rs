//! `recurrence`: the same action with the same outcome again and again, whatever lies between.
//!
//! Catches: a run in which many of the last steps were all there before (`recycling`), however they are mixed. It is the loop that no period shows: 164 reads of
//! one file that wrap around, a handful of failing calls in ever new order.
//! Must not catch: a run that gets further meanwhile; the same call after a change, which is another experiment; a few repeats in a long run; waiting.
//! From: complaints 15, 16, 21, 23.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::refusals::Refusals;
use super::{Bid, Detector, DetectorName, Draft, Family, Scene, Sighting, Sightings};
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

    fn severity(&self, repeats: u32) -> Option<Severity> {
        if self.hard_at > 0 && repeats >= self.hard_at {
            Some(Severity::Hard)
        } else {
            (repeats >= self.warn_at).then_some(Severity::Warn)
        }
    }
}

/// The pattern of its findings.
pub(crate) const PATTERN: &str = "recycling";

/// How many fingerprints of all agents together are remembered.
const KNOWN: usize = 192;
/// For how many agents the last steps are kept.
const AGENTS: usize = 16;
/// How many calls of all agents together are known again when they are proposed.
const CALLS: usize = 64;

/// The detector. One store for all agents of the run: fingerprints differ by agent.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Recurrence {
    known: Lru<u64>,
    agents: Ring<Recent>,
    /// The last calls, by agent and place: by these a proposal is known, which has no outcome yet.
    calls: Lru<Call>,
    refusals: Refusals,
}

/// A call, and what came of it last.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(from = "(Key, u32, u64)", into = "(Key, u32, u64)")]
struct Call {
    pair: Key,
    /// How many times in a row it had the same outcome.
    equal: u32,
    /// How many changes there had been: after another one the call is worth a try.
    epoch: u64,
}

impl From<(Key, u32, u64)> for Call {
    fn from((pair, equal, epoch): (Key, u32, u64)) -> Self {
        Call { pair, equal, epoch }
    }
}

impl From<Call> for (Key, u32, u64) {
    fn from(call: Call) -> Self {
        (call.pair, call.equal, call.epoch)
    }
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
        70 + self.known.len() * (KEY_BYTES + digits + 4)
            + self.agents.len() * (60 + KEY_BYTES + digits)
            + self.calls.len() * (2 * KEY_BYTES + 36)
            + self.refusals.bytes(digits)
    }

    fn observe(&mut self, scene: &Scene<'_>, settings: &RecurrenceSettings, out: &mut Sightings<'_>) {
        let Some(prints) = scene.prints else { return };
        if prints.kind == Kind::Wait || scene.moved || super::poll::is_spaced(scene) {
            return;
        }
        let agent = key_of(scene.agent);
        let here = scene.trail.here().unwrap_or_default();
        let call = key_of_parts(&[agent, prints.call, here]);
        // A proposal that was refused comes back to nothing.
        if scene.step.refused {
            if let Some((_, reason)) = self.comes_back(agent, call, scene.epoch, settings) {
                self.refusals.insist(DetectorName::Recurrence, call, reason, scene, out);
            }
            return;
        }
        self.note(call, prints.pair, scene.epoch);
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
        let severity = settings.severity(count);
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

    fn weigh(&self, bid: &Bid<'_>, settings: &RecurrenceSettings, draft: &mut Draft) {
        let Some(prints) = &bid.prints else { return };
        let call = key_of_parts(&[prints.agent, prints.call, bid.from.unwrap_or_default()]);
        if let Some((severity, reason)) = self.comes_back(prints.agent, call, prints.epoch, settings) {
            draft.repeats(severity, reason);
        }
    }
}

impl Recurrence {
    /// Notes a call and what came of it.
    fn note(&mut self, call: Key, pair: Key, epoch: u64) {
        let known = self.calls.touch_or_insert(call, || Call { pair, equal: 0, epoch });
        known.equal = if known.pair == pair { known.equal.saturating_add(1) } else { 1 };
        (known.pair, known.epoch) = (pair, epoch);
        while self.calls.len() > CALLS {
            self.calls.pop_oldest();
        }
    }

    /// Whether a call is one of those that keep coming back with the same outcome: how bad that is, and why.
    fn comes_back(
        &self,
        agent: Key,
        call: Key,
        epoch: u64,
        settings: &RecurrenceSettings,
    ) -> Option<(Severity, String)> {
        let known = self.calls.peek(call).filter(|known| known.equal > 1 && known.epoch == epoch)?;
        let recent = self.agents.iter().find(|recent| recent.agent == agent)?;
        let severity = settings.severity(recent.repeats.count_ones())?;
        Some((severity, format!("was done {} times before, each time with the same outcome", known.equal)))
    }
}
