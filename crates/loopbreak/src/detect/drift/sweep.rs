//! Ever more of the same: one number among the arguments grows from call to call, and nothing else changes.
//!
//! What the number is for decides. An amount (a depth, a limit) that only grows asks the same question for more. A page
//! that only moves on is reading, as long as there is something on it. Anything else (an id, a year) is a batch.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::DriftSettings;
use crate::detect::weight::{WHOLE, whole};
use crate::detect::{Family, Scene, Sighting, Sightings};
use crate::fingerprint::{Prints, text_key, words_of};
use crate::memory::{KEY_BYTES, Key, key_of_parts};
use crate::step::Action;
use crate::verdict::Severity;

/// The pattern of its findings.
pub(crate) const SWEEP: &str = "sweep";

/// Words in the names of arguments that are amounts.
const AMOUNTS: [&str; 14] = [
    "depth", "max", "limit", "size", "count", "length", "level", "levels", "timeout", "retries", "top",
    "width", "num", "budget",
];
/// Words in the names of arguments that say which part to read.
const PAGES: [&str; 14] = [
    "offset",
    "page",
    "start",
    "line",
    "from",
    "chunk",
    "cursor",
    "skip",
    "begin",
    "end",
    "position",
    "seek",
    "startline",
    "endline",
];

/// The call that was swept last.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Sweep {
    tool: Key,
    rest: Key,
    numbers: Vec<(Key, f64)>,
    /// Which number moves, and whether it rises.
    moving: Option<(usize, bool)>,
    /// How often it moved on, what that weighs, and what it weighs since the outcome last changed.
    count: u32,
    weight: u32,
    outcome: Option<Key>,
    equal: u32,
    since: u64,
}

impl Sweep {
    pub(super) fn bytes(&self, digits: usize) -> usize {
        150 + 3 * KEY_BYTES + self.numbers.len() * (KEY_BYTES + 24) + digits
    }

    pub(super) fn observe(
        &mut self,
        scene: &Scene<'_>,
        prints: &Prints,
        settings: &DriftSettings,
        out: &mut Sightings<'_>,
    ) {
        let numbers = prints.numbers.as_slice();
        if numbers.is_empty() && prints.tool != self.tool {
            return;
        }
        let moved = self.moves_on(prints, numbers);
        if moved.is_some() && (self.moving.is_none() || self.moving == moved) {
            let weight = scene.weight();
            self.count = self.count.saturating_add(1);
            self.weight = self.weight.saturating_add(weight);
            self.equal =
                if prints.outcome == self.outcome { self.equal.saturating_add(weight) } else { WHOLE };
            self.moving = moved;
        } else {
            *self = Sweep { count: 1, weight: WHOLE, equal: WHOLE, since: scene.turn, ..Sweep::default() };
        }
        (self.tool, self.rest, self.outcome) = (prints.tool, prints.numbers.rest, prints.outcome);
        self.numbers.clear();
        self.numbers.extend_from_slice(numbers);
        self.judge(scene, settings, out);
    }

    /// Which number moved since the last call, and whether it rose, where nothing else did.
    fn moves_on(&self, prints: &Prints, numbers: &[(Key, f64)]) -> Option<(usize, bool)> {
        if prints.tool != self.tool || prints.numbers.rest != self.rest || numbers.len() != self.numbers.len()
        {
            return None;
        }
        let mut moved = None;
        for (index, (now, before)) in numbers.iter().zip(&self.numbers).enumerate() {
            if now.0 != before.0 {
                return None;
            }
            if now.1.to_bits() != before.1.to_bits() {
                if moved.is_some() {
                    return None;
                }
                moved = Some((index, now.1 > before.1));
            }
        }
        moved
    }

    fn judge(&self, scene: &Scene<'_>, settings: &DriftSettings, out: &mut Sightings<'_>) {
        // The names of arguments are looked at only where it matters what they are called.
        if self.count < settings.warn_at {
            return;
        }
        let (Some((index, _)), Some(action)) = (self.moving, &scene.step.action) else { return };
        let Some(name) = name_of(action, self.numbers[index].0) else { return };
        let names = |words: &[&str]| {
            words_of(&name).any(|part| words.iter().any(|word| part.eq_ignore_ascii_case(word)))
        };
        let weight = if names(&PAGES) {
            self.equal
        } else if names(&AMOUNTS) {
            // The outcome differs: half as many again.
            self.weight * 2 / 3
        } else {
            return;
        };
        let severity = if settings.hard_at > 0 && weight >= whole(settings.hard_at) {
            Severity::Hard
        } else if weight >= whole(settings.warn_at) {
            Severity::Warn
        } else {
            return;
        };
        let evidence = out.sight(Sighting {
            pattern: SWEEP,
            family: Family::Action,
            identity: key_of_parts(&[self.tool, self.rest, 10]),
            since: self.since,
            severity: Some(severity),
            stage: 0,
            count: self.count,
            wish: None,
        });
        evidence.note("calls", self.count).quote("argument", &name).quote("action", &action.line());
    }
}

/// The name of the argument that goes by this key.
fn name_of(action: &Action<'_>, key: Key) -> Option<String> {
    let args = action.args.as_ref()?;
    let Ok(Value::Object(args)) = serde_json::from_str(args.json()) else { return None };
    args.into_iter().map(|(name, _)| name).find(|name| text_key(name) == key)
}
