//! Calls in which only one number changes from call to call.
//!
//! The meaning of the number decides. An amount (a depth, a limit) that only grows asks the same question for
//! more. A page that only advances is reading, as long as there is content. Anything else (an id, a year) is
//! a batch.

use serde_json::Value;

use super::settings::DriftSettings;
use crate::detectors::repetition::WHOLE;
use crate::detectors::{Detection, DetectionCollector, LoopFamily, Pattern, StepContext};
use crate::fingerprint::{ActionKind, NUMBERS, StepFingerprints, text_key, words_of};
use crate::memory::{BoundedList, HashKey, WideNumber, key_of, key_of_parts, snapshot_type};
use crate::step::Action;

/// Words in the names of arguments that hold amounts.
const AMOUNTS: [&str; 14] = [
    "depth", "max", "limit", "size", "count", "length", "level", "levels", "timeout", "retries", "top",
    "width", "num", "budget",
];
/// Words in the names of arguments that select a part to read.
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

snapshot_type! {
    /// The last call of a sweep.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(super) struct SweepTracker {
        tool: HashKey,
        rest: WideNumber<u64>,
        numbers: BoundedList<(HashKey, f64), NUMBERS>,
        /// The index of the number that changes, and whether it rises.
        moving: Option<(usize, bool)>,
        /// Number of changes, their weight, and their weight since the outcome last changed.
        count: u32,
        weight: u32,
        outcome: Option<HashKey>,
        equal: u32,
        since: u64,
        grown: GrowingCall,
    }
}

snapshot_type! {
    /// A call that begins with the whole previous one and is longer.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    struct GrowingCall {
        tool: HashKey,
        text: HashKey,
        bytes: usize,
        count: u32,
        weight: u32,
        since: u64,
    }
}

/// Minimum size of a call in bytes. Too many calls begin with a shorter one.
const SHORTEST: usize = 16;

impl SweepTracker {
    pub(super) fn observe(
        &mut self,
        context: &StepContext<'_>,
        prints: &StepFingerprints<'_>,
        settings: &DriftSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        self.grown.observe(context, prints, settings, out);
        let numbers = prints.numbers.as_slice();
        if numbers.is_empty() && prints.tool != self.tool {
            return;
        }
        let moved = self.moves_on(prints, numbers);
        if moved.is_some() && (self.moving.is_none() || self.moving == moved) {
            let weight = context.weight();
            self.count = self.count.saturating_add(1);
            self.weight = self.weight.saturating_add(weight);
            self.equal =
                if prints.outcome == self.outcome { self.equal.saturating_add(weight) } else { WHOLE };
            self.moving = moved;
        } else {
            let grown = std::mem::take(&mut self.grown);
            *self = SweepTracker {
                count: 1,
                weight: WHOLE,
                equal: WHOLE,
                since: context.turn,
                grown,
                ..SweepTracker::default()
            };
        }
        (self.tool, self.rest, self.outcome) = (prints.tool, WideNumber(prints.numbers.rest), prints.outcome);
        self.numbers.assign(numbers.iter().copied());
        self.judge(context, settings, out);
    }

    /// Returns the index of the number that changed since the last call and whether it rose, if nothing else
    /// changed.
    fn moves_on(&self, prints: &StepFingerprints<'_>, numbers: &[(HashKey, f64)]) -> Option<(usize, bool)> {
        if prints.tool != self.tool
            || prints.numbers.rest != self.rest.0
            || numbers.len() != self.numbers.len()
        {
            return None;
        }
        let mut moved = None;
        for (index, (now, before)) in numbers.iter().zip(&*self.numbers).enumerate() {
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

    fn judge(&self, context: &StepContext<'_>, settings: &DriftSettings, out: &mut DetectionCollector<'_>) {
        // The names of arguments are read only when they matter.
        if self.count < settings.warn_at {
            return;
        }
        let (Some((index, _)), Some(action)) = (self.moving, context.action) else { return };
        let Some(name) = name_of(action, self.numbers[index].0) else { return };
        let names = |words: &[&str]| {
            words_of(&name).any(|part| words.iter().any(|word| part.eq_ignore_ascii_case(word)))
        };
        let weight = if names(&PAGES) {
            self.equal
        } else if names(&AMOUNTS) {
            // The outcome differs each time, so it takes half as many calls again.
            self.weight * 2 / 3
        } else {
            return;
        };
        let Some(severity) = settings.severity(weight) else { return };
        let evidence = out.add(Detection {
            pattern: Pattern::Sweep,
            family: LoopFamily::Action,
            identity: key_of_parts(&[self.tool, HashKey(self.rest.0), HashKey(10)]),
            since: self.since,
            severity: Some(severity),
            stage: 0,
            count: self.count,
            requested_intervention: None,
        });
        evidence.note("calls", self.count).quote("argument", &name).quote("action", &action.line());
    }
}

impl GrowingCall {
    fn observe(
        &mut self,
        context: &StepContext<'_>,
        prints: &StepFingerprints<'_>,
        settings: &DriftSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        // A text that is being written may grow.
        let args = context.action.and_then(|action| action.args.as_ref());
        let Some(args) = args.filter(|_| prints.kind != ActionKind::Edit) else { return };
        let text = args.json().trim_end_matches(['"', '}', ']', ' ']);
        let begins = self.tool == prints.tool
            && text.len() > self.bytes
            && self.bytes >= SHORTEST
            && text.get(..self.bytes).is_some_and(|start| key_of(start) == self.text);
        if begins {
            self.count = self.count.saturating_add(1);
            self.weight = self.weight.saturating_add(context.weight());
        } else {
            (self.count, self.weight, self.since) = (1, WHOLE, context.turn);
        }
        (self.tool, self.text, self.bytes) = (prints.tool, key_of(text), text.len());
        let Some(severity) = settings.severity(self.weight * 2 / 3) else { return };
        let evidence = out.add(Detection {
            pattern: Pattern::Sweep,
            family: LoopFamily::Action,
            identity: key_of_parts(&[self.tool, HashKey(self.since), HashKey(12)]),
            since: self.since,
            severity: Some(severity),
            stage: 0,
            count: self.count,
            requested_intervention: None,
        });
        evidence.note("calls", self.count).note("argument", "its length");
        if let Some(action) = &context.step.action {
            evidence.quote("action", &action.line());
        }
    }
}

/// Returns the name of the argument with this key.
fn name_of(action: &Action<'_>, key: HashKey) -> Option<String> {
    let args = action.args.as_ref()?;
    let Ok(Value::Object(args)) = serde_json::from_str(args.json()) else { return None };
    args.into_iter().map(|(name, _)| name).find(|name| text_key(name) == key)
}
