//! Discoveries of a run that makes no progress, and its pace so far.
//! This is the state of `stagnation.patience = "exploring"`.
//!
//! Every step with an action is one of three things. A *find*: the first move from one place to another, or a
//! reply of some length that was not seen before. *Idle*: a reply with little information, because it is
//! short or because three different actions got the same one, which is typical of a refusal whatever its
//! words. Neither: a known text of some length, such as a known room on the way back.
//! A new reply alone is not enough: a stuck agent gets new refusals all the time, and they are short.
//! Descriptions of the environment are long, and they change when something in it was changed.
//!
//! An agent that walks back through known rooms with the key finds nothing on the way. So the pace of the run
//! counts as well: if it went 25 turns without progress once and then made progress, 40 turns are not long
//! for it.

use crate::detectors::StepContext;
use crate::memory::{HashKey, LruMap, WideNumber, key_of_parts, snapshot_type};

/// Minimum size in bytes of a new reply that counts as a find: it describes something.
const TELLING: usize = 120;
/// Minimum size in bytes of a reply that is not idle. A shorter one has little information, new or not.
const SHORT: usize = 60;
/// Number of idle steps that a find makes up for.
const FIND: u64 = 4;
/// Number of idle steps that use up `max_turns`.
const IDLE: u64 = 20;
/// Upper limit of the deadline, as a multiple of `max_turns`.
const FURTHEST: u64 = 2;
/// Multiple of the longest gap between two progresses for which a run is not stopped, and multiple of
/// `max_turns` that it cannot exceed.
const PACE: u64 = 3;
/// Number of replies and moves that are remembered.
const KNOWN: usize = 192;
/// Marks a reply that three different actions got, and masks the bits of an action that are kept.
const MANY: u32 = u32::MAX;
const CALL: u64 = 0x7fff;

snapshot_type! {
    /// Finds and idle steps since the last progress, and everything that is known from before.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(crate) struct ExplorationTracker {
        /// Moves, and replies with the actions that got them.
        #[serde(rename = "k")]
        known: LruMap<WideNumber<u32>, KNOWN>,
        #[serde(rename = "f")]
        finds: u64,
        #[serde(rename = "i")]
        idle: u64,
        /// True if there was any progress yet.
        #[serde(rename = "p")]
        progressed: bool,
        /// Longest gap between two progresses, in turns.
        #[serde(rename = "g")]
        longest_gap: u64,
    }
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

    /// Resets the counts after progress, `gap` turns after the previous one. The first gap is not recorded:
    /// at the start of a run, the agent may still be learning how to use its environment.
    pub(crate) fn progress(&mut self, gap: u64) {
        if self.progressed {
            self.longest_gap = self.longest_gap.max(gap);
        }
        (self.finds, self.idle, self.progressed) = (0, 0, true);
    }

    /// Returns the number of turns without progress that are allowed in the current state.
    pub(crate) fn patience(&self, max_turns: u64) -> u64 {
        // Without replies and places, nothing is known about the pace of a run.
        let pace =
            if self.known.len() == 0 { 0 } else { self.longest_gap.min(max_turns).saturating_mul(PACE) };
        let usual = max_turns.max(pace);
        let later = max_turns.saturating_mul(FIND.saturating_mul(self.finds)) / IDLE;
        let sooner = max_turns.saturating_mul(self.idle) / IDLE;
        let furthest = max_turns.saturating_mul(FURTHEST).max(pace);
        usual.saturating_add(later).saturating_sub(sooner).clamp(max_turns, furthest)
    }

    /// Returns the number of finds and of idle steps since the last progress.
    pub(crate) fn counts(&self) -> (u64, u64) {
        (self.finds, self.idle)
    }

    /// Returns whether this is the run's first move from the previous place to this one.
    fn is_first_walk(&mut self, context: &StepContext<'_>) -> bool {
        let mut moves = context.trail.moves().map(|stay| stay.place);
        let (to, from) = (moves.next_back(), moves.next_back());
        let walk = key_of_parts(&[from.unwrap_or_default(), to.unwrap_or_default(), HashKey(7)]);
        self.note(walk, |_| 0).0
    }

    /// Returns whether the reply of the step is a find, and whether it is idle. None without a reply.
    fn reply(&mut self, context: &StepContext<'_>) -> Option<(bool, bool)> {
        let prints = context.prints?;
        let text = context.step.outcome.as_ref()?.text.as_deref()?.trim();
        let reply = prints.outcome.filter(|_| !text.is_empty())?;
        // Two actions are stored with 15 bits each, and a set bit marks them as present. More bits would
        // enlarge every snapshot.
        let call = (prints.call.0 & CALL) as u32 | 0x8000;
        let (new, callers) = self.note(key_of_parts(&[reply, HashKey(8)]), |before| match before {
            None => call,
            Some(MANY) => MANY,
            Some(callers) if callers & 0xffff == call || callers >> 16 == call => callers,
            Some(callers) if callers >> 16 == 0 => callers | (call << 16),
            Some(_) => MANY,
        });
        Some((new && text.len() >= TELLING, text.len() < SHORT || callers == MANY))
    }

    /// Records a move or a reply. Returns whether it is new, and the value that is stored for it now.
    fn note(&mut self, key: HashKey, keep: impl FnOnce(Option<u32>) -> u32) -> (bool, u32) {
        let before = self.known.peek(key).map(|known| known.0);
        let now = keep(before);
        *self.known.touch_or_insert(key, WideNumber::default) = WideNumber(now);
        (before.is_none(), now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(finds: u64, idle: u64, progressed: bool) -> u64 {
        ExplorationTracker { finds, idle, progressed, ..ExplorationTracker::default() }.patience(40)
    }

    #[test]
    fn a_find_is_worth_four_idle_steps() {
        assert_eq!(after(0, 0, true), 40);
        assert_eq!(after(1, 0, true), 48);
        assert_eq!(after(1, 4, true), 40);
        assert_eq!(after(2, 4, true), 48);
        assert_eq!(after(0, 4, true), 40, "never below the limit");
    }

    #[test]
    fn a_slow_run_that_made_progress_before_gets_more_time() {
        let mut exploring = ExplorationTracker::default();
        exploring.progress(1);
        exploring.progress(30);
        assert_eq!(exploring.patience(40), 40, "it reports neither replies nor places");
        exploring = ExplorationTracker::default();
        exploring.note(HashKey(1), |_| 0);
        exploring.progress(30);
        assert_eq!(exploring.patience(40), 40, "the first progress gives no pace");
        exploring.progress(25);
        exploring.progress(3);
        assert_eq!(exploring.patience(40), 75);
        exploring.idle = 10;
        assert_eq!(exploring.patience(40), 55, "idle steps shorten the time, whatever came before");
        exploring.progress(60);
        assert_eq!(exploring.patience(40), 120, "at most three times the limit");
    }

    #[test]
    fn the_deadline_has_bounds_on_both_sides() {
        assert_eq!(after(5, 0, true), 80);
        assert_eq!(after(u64::MAX, 0, true), 80);
        assert_eq!(after(0, u64::MAX, true), 40);
        // Before the first progress the deadline does not move forward.
        assert_eq!(after(0, 30, false), 40);
        assert_eq!(ExplorationTracker::default().patience(1), 1);
    }
}
