//! `cycle`: the same actions with the same outcomes, round and round.
//!
//! Catches: a sequence of (action, outcome) fingerprints that repeats with a period of 1 to 12. Warned of by the 4th
//! equal call (the second full round of a longer period), hard by the 8th (the fourth round).
//! Must not catch: the same call with new content (pagination, a job that moves on); a test run again after a change;
//! five different calls at once; waiting, which is `poll`'s; walking, where the place changes with every step.
//! A loop is the same up to rotation: A B and B A are one.
//! From: complaints 11, 12, 15, 19, 21, 22, 24.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::refusals::Refusals;
use super::{Bid, Detector, DetectorName, Draft, Family, Scene, Sighting, Sightings};
use crate::config::{Checks, Mode};
use crate::fingerprint::Kind;
use crate::memory::{KEY_BYTES, Key, Ring, key_of_parts};
use crate::verdict::Severity;

/// The same actions with the same outcomes, round and round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CycleSettings {
    /// Whether it acts.
    pub mode: Mode,
    /// The longest period that is looked for.
    #[schemars(range(min = 1, max = 12))]
    pub max_period: u32,
    /// Warn at so many equal calls in a row; of longer periods, half as many rounds.
    #[schemars(range(min = 2, max = 1000))]
    pub warn_at: u32,
    /// Act at so many equal calls in a row; of longer periods, half as many rounds; 0 for never.
    pub hard_at: u32,
}

impl Default for CycleSettings {
    fn default() -> Self {
        CycleSettings { mode: Mode::Enforce, max_period: 12, warn_at: 4, hard_at: 8 }
    }
}

impl CycleSettings {
    pub(crate) fn check(&self, checks: &mut Checks) {
        checks.within("max_period", self.max_period, &(1..=12));
        checks.warns_first(self.warn_at, self.hard_at);
    }

    fn severity(&self, period: u32, rounds: u32) -> Option<Severity> {
        // A longer period repeats more with every round: half as many rounds show as much.
        let limit = |limit: u32| if period == 1 { limit } else { limit.div_ceil(2) };
        if self.hard_at > 0 && rounds >= limit(self.hard_at) {
            Some(Severity::Hard)
        } else {
            (rounds >= limit(self.warn_at)).then_some(Severity::Warn)
        }
    }
}

/// The pattern of its findings.
pub(crate) const PATTERN: &str = "cycle";

/// The longest period there is.
const LONGEST: usize = 12;

/// The detector.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Cycle {
    /// The last fingerprints, and the turns they came at.
    last: Ring<(Key, u64)>,
    /// For each period, how many steps in a row equalled the one a period before.
    equal: Vec<u32>,
    /// The last calls at their places, whatever came of them: by these a proposal is known, which has no outcome yet.
    calls: Ring<Key>,
    refusals: Refusals,
}

impl Detector for Cycle {
    type Settings = CycleSettings;

    fn bytes(&self, digits: usize) -> usize {
        70 + self.last.len() * (KEY_BYTES + digits)
            + self.equal.len() * 11
            + self.calls.len() * KEY_BYTES
            + self.refusals.bytes(digits)
    }

    fn observe(&mut self, scene: &Scene<'_>, settings: &CycleSettings, out: &mut Sightings<'_>) {
        if scene.step.user.is_some() || scene.further {
            *self = Cycle::default();
        }
        let Some(prints) = scene.prints else { return };
        // Waiting has its own measure, and where an agent goes is for the detectors of places to judge.
        if prints.kind == Kind::Wait || scene.moved || super::poll::is_spaced(scene) {
            return;
        }
        let here = scene.trail.here().unwrap_or_default();
        let call = key_of_parts(&[prints.call, here]);
        // A proposal that was refused is no part of the loop: nothing came of it.
        if scene.step.refused {
            if let Some((_, reason)) = self.goes_on(call, settings) {
                self.refusals.insist(DetectorName::Cycle, call, reason, scene, out);
            }
            return;
        }
        self.calls.push(call, LONGEST);
        let pair = key_of_parts(&[prints.pair, here]);
        self.equal.resize(LONGEST, 0);
        for (index, (before, _)) in self.last.newest().enumerate() {
            self.equal[index] = if *before == pair { self.equal[index].saturating_add(1) } else { 0 };
        }
        let found = (1..=settings.max_period).find(|period| self.equal[*period as usize - 1] >= *period);
        let since =
            found.map(|period| self.turn_before(self.equal[period as usize - 1] + period - 1, scene.turn));
        self.last.push((pair, scene.turn), LONGEST);
        let (Some(period), Some(since)) = (found, since) else { return };
        let rounds = self.equal[period as usize - 1] / period + 1;
        let severity = settings.severity(period, rounds);
        let evidence = out.sight(Sighting {
            pattern: PATTERN,
            family: Family::Action,
            identity: self.identity(period as usize),
            since,
            severity,
            stage: 0,
            count: rounds,
            wish: None,
        });
        evidence.note("period", period).note("rounds", rounds);
        if let Some(action) = &scene.step.action {
            evidence.quote("action", &action.line());
        }
        if let Some(text) = scene.step.outcome.as_ref().and_then(|outcome| outcome.text.as_deref()) {
            evidence.quote("outcome", text);
        }
    }

    fn weigh(&self, bid: &Bid<'_>, settings: &CycleSettings, draft: &mut Draft) {
        let Some(prints) = &bid.prints else { return };
        let call = key_of_parts(&[prints.call, bid.from.unwrap_or_default()]);
        if let Some((severity, reason)) = self.goes_on(call, settings) {
            draft.repeats(severity, reason);
        }
    }
}

impl Cycle {
    /// Whether a call would be the next one of the cycle that the agent is in: how bad that is, and why.
    fn goes_on(&self, call: Key, settings: &CycleSettings) -> Option<(Severity, String)> {
        let periods = (1..=settings.max_period).zip(&self.equal);
        let (period, equal) = periods.into_iter().find(|(period, equal)| *equal >= period)?;
        let rounds = equal / period + 1;
        let severity = settings.severity(period, rounds)?;
        let next = *self.calls.newest().nth(period as usize - 1)?;
        let reason = if period == 1 {
            format!("was done {rounds} times in a row with the same outcome")
        } else {
            format!("is the next of {period} calls that went round {rounds} times with the same outcomes")
        };
        (next == call).then_some((severity, reason))
    }

    /// The turn of the step so many before, as far as it is remembered.
    fn turn_before(&self, steps: u32, now: u64) -> u64 {
        let remembered = (steps as usize).min(self.last.len());
        self.last.newest().nth(remembered.saturating_sub(1)).map_or(now, |(_, turn)| *turn)
    }

    /// The name of the loop: its smallest rotation.
    fn identity(&self, period: usize) -> Key {
        let round: Vec<Key> = self.last.newest().take(period).map(|(pair, _)| *pair).collect();
        let rotations = (0..round.len()).map(|by| [&round[by..], &round[..by]].concat());
        key_of_parts(&rotations.min().unwrap_or_default())
    }
}
