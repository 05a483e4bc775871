//! The memory of hooks for the last events of a session, so that each event counts once and a stop stays due.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher as _};

use loopbreak::text::{clip, mask_secrets};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::push_bounded;

/// Number of decisions that are remembered.
const MAX_DECISIONS: usize = 8;
/// Longest id that is kept, in bytes.
const ID_BYTES: usize = 64;
/// Longest arguments of a remembered call, in bytes.
const PENDING_BYTES: usize = 16 * 1024;
/// Shortest id that is taken for unique, in bytes.
const SHORTEST_UNIQUE: usize = 12;
/// Calls that are proposed within this time of each other, in milliseconds, belong to one message. A model takes longer to
/// answer.
const SAME_MESSAGE_MS: i64 = 400;
/// The same if the transcript has not grown in between. A busy machine delays hooks, and a transcript may lag behind.
const SAME_TRANSCRIPT_MS: i64 = 10_000;
/// Number of turns for which advice waits for a call that continues the loop. Loops of several calls are short.
const HELD_TURNS: u64 = 6;
/// A prompt that follows the end of a turn within this time, in milliseconds, was not typed by a human.
const FASTEST_HUMAN_MS: i64 = 1_000;

/// The memory of hooks for the last events of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EventMemory {
    /// The reason why the session has to end. It stays until the session has ended or the user speaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<String>,
    /// Number of calls in a row that the agent rejected by itself although the guard had objected to them.
    #[serde(skip_serializing_if = "is_zero")]
    pub rejected_repeats: u32,
    /// The decisions about the last calls that were not allowed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    decisions: Vec<CallDecision>,
    /// Time of the last refusal, if nothing has happened since then.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused_at: Option<i64>,
    /// Length of the transcript at that time.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused_length: Option<u64>,
    /// Number of messages whose calls have all ended, for agents that report that.
    #[serde(skip_serializing_if = "is_zero")]
    messages: u64,
    /// True if a call of the next message has ended.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    called: bool,
    /// The last allowed call of a tool whose failures no event reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<ProposedCall>,
    /// Turn of the last compaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compacted_at: Option<u64>,
    /// Id of the last prompt.
    #[serde(skip_serializing_if = "String::is_empty")]
    prompt: String,
    /// Checksum of the last prompt, and of a prompt with which the agent itself started its turn again.
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_text: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_text: Option<u64>,
    /// True if every event arrives twice, because the hooks are installed twice.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    doubled: bool,
    /// Time of the last end of a turn, and a checksum of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    turn_ended_at: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn_end: Option<u64>,
    /// Length and checksum of the last message at the end of a turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    said: Option<(usize, u64)>,
    /// Advice that the agent could not take yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    held_advice: Option<HeldAdvice>,
    /// The call in whose place advice was given.
    #[serde(skip_serializing_if = "String::is_empty")]
    advised_call: String,
}

/// A decision about a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallDecision {
    /// Id of the call.
    pub call: String,
    /// Name of the response.
    pub answer: String,
    /// Text of the response.
    pub text: String,
}

/// Advice that waits for the next call that continues the loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct HeldAdvice {
    /// The call, with its arguments.
    action: String,
    text: String,
    turn: u64,
}

/// A call that was allowed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposedCall {
    /// Id of the call.
    pub call: String,
    /// Name of the tool.
    pub tool: String,
    /// Arguments as JSON.
    pub args: String,
}

impl EventMemory {
    /// Remembers an allowed call without its secrets until it has ended. A call with very long arguments is not remembered.
    pub fn add_pending(&mut self, call: &str, tool: &str, args: &str) {
        let masked = mask_secrets(args);
        // A number that is masked leaves no JSON.
        let is_json =
            matches!(masked, Cow::Borrowed(_)) || serde_json::from_str::<IgnoredAny>(&masked).is_ok();
        let args = if is_json { masked.into_owned() } else { "null".to_owned() };
        let (call, tool) = (clip(call, ID_BYTES).to_owned(), tool.to_owned());
        self.pending = (args.len() <= PENDING_BYTES).then_some(ProposedCall { call, tool, args });
    }

    /// Forgets the call that was remembered, because its result was reported.
    pub fn end_pending(&mut self, call: &str) {
        self.pending.take_if(|pending| pending.call == clip(call, ID_BYTES));
    }

    /// Returns the call that was remembered, because its failure was found elsewhere.
    pub fn take_pending(&mut self) -> Option<ProposedCall> {
        self.pending.take()
    }

    /// Keeps advice about a call for the next time that the call is proposed, unless there was some in place of this call
    /// already.
    pub fn hold_advice(&mut self, action: String, text: &str, turn: u64) {
        if action == self.advised_call {
            return;
        }
        self.held_advice = Some(HeldAdvice { action, text: text.to_owned(), turn });
    }

    /// Returns whether advice waits for a call.
    pub fn holds_advice(&self) -> bool {
        self.held_advice.is_some()
    }

    /// Returns the advice that waits for this call, and forgets it. Advice that has become old is not given.
    pub fn take_advice(&mut self, action: &str, turn: u64) -> Option<String> {
        let held = self.held_advice.take_if(|held| held.action == action)?;
        if held.turn.saturating_add(HELD_TURNS) < turn {
            return None;
        }
        self.advised_call = held.action;
        Some(held.text)
    }

    /// Forgets the advice that waits for a call, and the call in whose place some was given.
    pub fn drop_advice(&mut self) {
        self.held_advice = None;
        self.advised_call.clear();
    }

    /// Returns whether nothing is remembered.
    pub fn is_empty(&self) -> bool {
        *self == EventMemory::default()
    }

    /// Records a decision about a call.
    pub fn add_decision(&mut self, call: &str, answer: &str, text: &str) {
        if is_unique(call) {
            let decision = CallDecision {
                call: clip(call, ID_BYTES).to_owned(),
                answer: answer.to_owned(),
                text: text.to_owned(),
            };
            push_bounded(&mut self.decisions, decision, MAX_DECISIONS);
        }
    }

    /// Returns the decision about a call, if there was one.
    pub fn decision(&self, call: &str) -> Option<&CallDecision> {
        self.decisions.iter().find(|known| is_unique(call) && known.call == clip(call, ID_BYTES))
    }

    /// Records a refusal. Returns the time at which the message of the call was first refused: that of the previous refusal
    /// if both calls belong to one message, because the agent could not have read the first refusal yet. `length` is that of the
    /// transcript, which grows with every message.
    pub fn add_refusal(&mut self, now: i64, length: Option<u64>) -> i64 {
        let is_same_length = length.is_some() && self.refused_length == length;
        let limit = if is_same_length { SAME_TRANSCRIPT_MS } else { SAME_MESSAGE_MS };
        // Hooks run in parallel, so the refusal that was stored first may be the later one.
        let first = self.refused_at.filter(|at| (now - at).abs() < limit).unwrap_or(now);
        (self.refused_at, self.refused_length) = (Some(first), length);
        first
    }

    /// Records that a call has ended. Returns the number of its message, if the agent reports when all calls of a message have
    /// ended.
    pub fn end_call(&mut self) -> Option<u64> {
        (self.refused_at, self.called) = (None, true);
        (self.messages > 0).then_some(self.messages)
    }

    /// Records that all calls of a message have ended, so that the next call is a new decision. Returns whether that changes
    /// anything.
    pub fn end_message(&mut self) -> bool {
        let is_new = self.called || self.refused_at.is_some();
        (self.refused_at, self.called) = (None, false);
        self.messages += u64::from(is_new);
        is_new
    }

    /// Records that an event arrived twice.
    pub fn note_double(&mut self) {
        self.doubled = true;
    }

    /// Records a prompt with this id. Returns whether the same event arrived before.
    pub fn is_known_prompt(&mut self, id: &str) -> bool {
        let id = clip(id, ID_BYTES);
        let is_known = !id.is_empty() && self.prompt == id;
        self.doubled |= is_known;
        id.clone_into(&mut self.prompt);
        is_known
    }

    /// Records the end of a turn. Returns whether the same event arrived before, from a second installation.
    pub fn is_known_turn_end(&mut self, message: &str, held: bool, now: i64) -> bool {
        let sum = checksum(&(message, held));
        self.turn_ended_at = Some(now);
        if self.doubled && self.turn_end == Some(sum) {
            self.turn_end = None;
            return true;
        }
        self.turn_end = Some(sum);
        false
    }

    /// Records a prompt of an agent that starts a turn again with a prompt of its own. Returns whether this is such a prompt: it
    /// follows the end of a turn faster than a human types, or it is known from before.
    pub fn is_retry(&mut self, prompt: &str, now: i64) -> bool {
        self.prompt_text = Some(checksum(&prompt));
        let is_fast = self.turn_ended_at.is_some_and(|ended| now - ended < FASTEST_HUMAN_MS);
        is_fast || self.retry_text == self.prompt_text
    }

    /// Records that the last prompt came from a hook that had kept the agent from ending its turn.
    pub fn note_retry(&mut self) {
        self.retry_text = self.prompt_text;
    }

    /// Returns the part of a message that is new, for agents that repeat all earlier messages of the turn before it.
    pub fn new_part<'m>(&mut self, message: &'m str) -> &'m str {
        let earlier = self.said.and_then(|(length, sum)| {
            let (earlier, new) = message.split_at_checked(length)?;
            (checksum(&earlier) == sum).then_some(new)
        });
        self.said = Some((message.len(), checksum(&message)));
        earlier.map_or(message, str::trim_start)
    }
}

fn is_zero<N: Default + PartialEq>(number: &N) -> bool {
    *number == N::default()
}

/// Returns whether the id of a call is long enough to be unique in a session. Some models number the calls of each message.
pub(super) fn is_unique(call: &str) -> bool {
    call.len() >= SHORTEST_UNIQUE
}

fn checksum(value: &impl Hash) -> u64 {
    let mut sum = DefaultHasher::new();
    value.hash(&mut sum);
    // JSON numbers are exact up to 53 bits in most programs.
    sum.finish() >> 11
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_is_held_for_its_call_and_not_for_long() {
        let mut memory = EventMemory::default();
        memory.hold_advice("make".into(), "again", 3);
        assert_eq!((memory.take_advice("ls", 4), memory.holds_advice()), (None, true));
        assert_eq!(memory.take_advice("make", 4).as_deref(), Some("again"));
        assert_eq!((memory.take_advice("make", 4), memory.holds_advice()), (None, false));
        memory.hold_advice("make".into(), "once more", 5);
        assert!(!memory.holds_advice(), "it was given in place of this call already");
        memory.hold_advice("ls".into(), "again", 3);
        assert_eq!(memory.take_advice("ls", 40), None);
        memory.drop_advice();
        memory.hold_advice("make".into(), "again", 50);
        assert!(memory.holds_advice());
        memory.drop_advice();
        assert!(memory.is_empty());
    }

    #[test]
    fn calls_of_one_message_share_a_refusal() {
        let mut memory = EventMemory::default();
        assert_eq!([memory.add_refusal(1_000, None), memory.add_refusal(1_050, None)], [1_000, 1_000]);
        assert_eq!(memory.add_refusal(5_000, None), 5_000);
        assert!(memory.end_message());
        assert_eq!(memory.add_refusal(5_010, None), 5_010);
        assert_eq!(memory.add_refusal(4_980, None), 5_010, "a hook that started earlier and was slower");
    }

    #[test]
    fn calls_of_one_message_share_a_refusal_on_a_busy_machine() {
        let mut memory = EventMemory::default();
        assert_eq!(
            [memory.add_refusal(1_000, Some(70)), memory.add_refusal(3_000, Some(70))],
            [1_000, 1_000]
        );
        assert_eq!(memory.add_refusal(4_000, Some(90)), 4_000, "the transcript has grown");
        assert_eq!(memory.add_refusal(34_000, Some(90)), 34_000, "a transcript that is no longer written");
    }

    #[test]
    fn a_prompt_that_started_a_turn_again_is_known_on_a_slow_machine() {
        let mut memory = EventMemory::default();
        assert!(!memory.is_retry("do it", 1_000));
        memory.is_known_turn_end("Done.", false, 2_000);
        assert!(memory.is_retry("not done yet", 2_500), "faster than a human");
        memory.note_retry();
        memory.is_known_turn_end("Done.", true, 3_000);
        assert!(memory.is_retry("not done yet", 9_000));
        assert!(!memory.is_retry("thank you", 9_500 + FASTEST_HUMAN_MS));
    }

    #[test]
    fn a_turn_that_ends_twice_counts_once_if_the_hooks_are_installed_twice() {
        let mut memory = EventMemory::default();
        assert!(!memory.is_known_turn_end("done", false, 1) && !memory.is_known_turn_end("done", false, 2));
        assert!(!memory.is_known_prompt("p1") && memory.is_known_prompt("p1"));
        assert!(!memory.is_known_turn_end("more", true, 3) && memory.is_known_turn_end("more", true, 3));
        assert!(!memory.is_known_turn_end("more", true, 9) && memory.is_known_turn_end("more", true, 9));
    }

    #[test]
    fn only_the_new_part_of_a_growing_message_counts() {
        let mut memory = EventMemory::default();
        let parts =
            ["DONE", "DONE\nDONE", "DONE\nDONE\nDONE", "other"].map(|text| memory.new_part(text).to_owned());
        assert_eq!(parts, ["DONE", "DONE", "DONE", "other"]);
    }
}
