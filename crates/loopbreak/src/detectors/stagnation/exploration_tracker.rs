//! What a run that makes no progress still finds, and how long it took before: the memory behind
//! `stagnation.patience = "exploring"`.
//!
//! Every step with an action is one of three things. A *find*: the first walk from one place to another, or a reply of
//! some length that was not read before. *Idle*: a reply that tells little, for it is short, or for three different
//! actions got the same one, which is how a refusal looks whatever its words. Neither: a known text of some length, as
//! on the way back through known rooms.
//! That a reply is new is not enough: who is stuck gets ever new refusals, and they are short. What the world tells of
//! itself is long, and it tells it anew where something was changed in it.
//!
//! Whoever walks back through known rooms with the key in hand finds nothing on the way. So the run's own pace counts as
//! well: if it was without progress for 25 turns once, and got further after all, 40 turns are not long for it.

use serde::{Deserialize, Serialize};

use crate::detectors::StepContext;
use crate::memory::{KEY_BYTES, HashKey, LruMap, key_of_parts};

/// A new reply of so many bytes is a find: it describes something.
const TELLING: usize = 120;
/// A reply of fewer bytes tells little, new or not.
const SHORT: usize = 60;
/// A find is worth so many idle steps.
const FIND: u64 = 4;
/// So many idle steps use up `max_turns`.
const IDLE: u64 = 20;
/// The deadline moves to so many times `max_turns` at most.
const FURTHEST: u64 = 2;
/// So many times the longest gap that ended in progress are no reason to stop, up to so many times `max_turns`.
const PACE: u64 = 3;
/// So many turns lie between the warning and the soonest deadline.
const NOTICE: u64 = 5;
/// How many replies and walks are remembered.
const KNOWN: usize = 192;
/// The mark of a reply that three different actions got, and the bits of an action that are kept to tell.
const MANY: u32 = u32::MAX;
const CALL: u64 = 0x7fff;

/// What was found and what not since the last progress, and what is known from before.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ExplorationTracker {
    /// Walks, and replies with the actions that got them.
    #[serde(rename = "k")]
    known: LruMap<u32>,
    #[serde(rename = "f")]
    finds: u64,
    #[serde(rename = "i")]
    idle: u64,
    /// Whether there was any progress yet.
    #[serde(rename = "p")]
    progressed: bool,
    /// The most turns from one progress to the next.
    #[serde(rename = "g")]
    longest_gap: u64,
}

impl ExplorationTracker {
    /// Reads a step.
    pub(crate) fn read(&mut self, context: &StepContext<'_>) {
        let walked = context.moved && self.is_first_walk(context);
        let (told, idle) = self.reply(context).unwrap_or_default();
        if walked || told {
            self.finds = self.finds.saturating_add(1);
        } else if idle && !context.moved {
            self.idle = self.idle.saturating_add(1);
        }
    }

    /// Starts anew: there was progress, so many turns after the last. How long the first took says nothing: whoever begins
    /// may be learning how to talk to the world.
    pub(crate) fn progress(&mut self, gap: u64) {
        if self.progressed {
            self.longest_gap = self.longest_gap.max(gap);
        }
        (self.finds, self.idle, self.progressed) = (0, 0, true);
    }

    /// How many turns without progress are too many, as the run stands.
    pub(crate) fn patience(&self, max_turns: u64, warn_at: u64) -> u64 {
        // Nothing is known of how a run goes about it that tells neither replies nor places.
        let pace =
            if self.known.len() == 0 { 0 } else { self.longest_gap.min(max_turns).saturating_mul(PACE) };
        let usual = max_turns.max(pace);
        let later = max_turns.saturating_mul(FIND.saturating_mul(self.finds)) / IDLE;
        let sooner = max_turns.saturating_mul(self.idle) / IDLE;
        // Whoever has shown nothing yet may be learning how to talk to the world.
        let soonest = if self.progressed { max_turns.min(warn_at.saturating_add(NOTICE)) } else { max_turns };
        let furthest = max_turns.saturating_mul(FURTHEST).max(pace);
        usual.saturating_add(later).saturating_sub(sooner).clamp(soonest, furthest)
    }

    /// Finds and idle steps since the last progress.
    pub(crate) fn counts(&self) -> (u64, u64) {
        (self.finds, self.idle)
    }

    pub(crate) fn bytes(&self) -> usize {
        105 + self.known.len() * (KEY_BYTES + 12)
    }

    /// Whether nobody of this run has gone from the place before to this one.
    fn is_first_walk(&mut self, context: &StepContext<'_>) -> bool {
        let mut moves = context.trail.moves().map(|stay| stay.place);
        let (to, from) = (moves.next_back(), moves.next_back());
        let walk = key_of_parts(&[from.unwrap_or_default(), to.unwrap_or_default(), 7]);
        self.note(walk, |_| 0).0
    }

    /// Whether the step's reply is a find, and whether it is idle; nothing where there is no reply to read.
    fn reply(&mut self, context: &StepContext<'_>) -> Option<(bool, bool)> {
        let prints = context.prints?;
        let text = context.step.outcome.as_ref()?.text.as_deref()?.trim();
        let reply = prints.outcome.filter(|_| !text.is_empty())?;
        // Two actions are kept by 15 bits each, none of them all zeros: more would be paid for in every snapshot.
        let call = (prints.call & CALL) as u32 | 0x8000;
        let (new, callers) = self.note(key_of_parts(&[reply, 8]), |before| match before {
            None => call,
            Some(MANY) => MANY,
            Some(callers) if callers & 0xffff == call || callers >> 16 == call => callers,
            Some(callers) if callers >> 16 == 0 => callers | (call << 16),
            Some(_) => MANY,
        });
        Some((new && text.len() >= TELLING, text.len() < SHORT || callers == MANY))
    }

    /// Takes note of a walk or a reply. Whether it is new, and what is kept of it now.
    fn note(&mut self, key: HashKey, keep: impl FnOnce(Option<u32>) -> u32) -> (bool, u32) {
        let before = self.known.peek(key).copied();
        let now = keep(before);
        *self.known.touch_or_insert(key, || now) = now;
        while self.known.len() > KNOWN {
            self.known.pop_oldest();
        }
        (before.is_none(), now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(finds: u64, idle: u64, progressed: bool) -> u64 {
        ExplorationTracker { finds, idle, progressed, ..ExplorationTracker::default() }.patience(40, 20)
    }

    #[test]
    fn a_find_is_worth_four_idle_steps() {
        assert_eq!(after(0, 0, true), 40);
        assert_eq!(after(1, 0, true), 48);
        assert_eq!(after(1, 4, true), 40);
        assert_eq!(after(0, 4, true), 32);
    }

    #[test]
    fn a_slow_run_that_got_further_before_is_given_the_time_it_needs() {
        let mut exploring = ExplorationTracker::default();
        exploring.progress(1);
        exploring.progress(30);
        assert_eq!(exploring.patience(40, 20), 40, "it tells neither replies nor places");
        exploring = ExplorationTracker::default();
        exploring.note(1, |_| 0);
        exploring.progress(30);
        assert_eq!(exploring.patience(40, 20), 40, "the first progress tells no pace");
        exploring.progress(25);
        exploring.progress(3);
        assert_eq!(exploring.patience(40, 20), 75);
        exploring.idle = 10;
        assert_eq!(exploring.patience(40, 20), 55, "who is idle has less time, whatever came before");
        exploring.progress(60);
        assert_eq!(exploring.patience(40, 20), 120, "three times the limit at most");
    }

    #[test]
    fn the_deadline_has_bounds_on_both_sides() {
        assert_eq!(after(5, 0, true), 80);
        assert_eq!(after(u64::MAX, 0, true), 80);
        assert_eq!(after(0, u64::MAX, true), 25);
        // Before the first progress it does not come sooner.
        assert_eq!(after(0, 30, false), 40);
        // A warning that is as late as can be leaves no room to come sooner.
        assert_eq!(
            ExplorationTracker { idle: 30, progressed: true, ..ExplorationTracker::default() }
                .patience(40, 39),
            40
        );
        assert_eq!(ExplorationTracker::default().patience(1, 5), 1);
    }
}
