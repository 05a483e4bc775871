//! The part of a run's state that hooks use.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use loopbreak::Verdict;
use loopbreak::agent::describe_measures;
use loopbreak::settings::AllowRule;
use loopbreak::text::clip;
use serde::{Deserialize, Serialize};

use super::event_memory::is_unique;
use super::{EventMemory, TranscriptCost, push_bounded};

/// Number of refused loops, pieces of advice and questions that are remembered.
const MAX_REFUSALS: usize = 8;
const MAX_ADVISED: usize = 8;
const MAX_ASKED: usize = 8;
/// Number of notices that are remembered.
const MAX_NOTICES: usize = 8;
/// Number of calls that are remembered by their ids.
const MAX_CALLS: usize = 32;
/// Number of events that are remembered by their ids: as many as hooks of one session may have under way at once.
const MAX_RECORDED: usize = 16;
/// Number of rules that the user may add to a session.
const MAX_ALLOWED: usize = 16;
/// Longest part of a call's id that is kept, in bytes.
const ID_BYTES: usize = 64;
/// Number of turns for which a refusal is remembered. The engine uses the same number.
const REFUSAL_TURNS: u64 = 20;

/// The part of a run's state that hooks use.
#[derive(Clone, Debug, Default)]
pub struct HookState {
    /// Refusals by loop.
    pub(super) refusals: Vec<RefusalCount>,
    /// Turns at which the agent was advised.
    pub(super) advised: Vec<u64>,
    /// Ids of the calls that a human was asked about.
    pub(super) asked: Vec<String>,
    /// Position up to which the agent's transcript was read.
    pub transcript: Option<TranscriptOffset>,
    /// Ids of the latest calls that a hook saw.
    pub(super) calls: Vec<String>,
    /// Rules that the user added to this session.
    pub allowed: Vec<AllowRule>,
    /// The agent was already told that it stopped too early. Reset by a message of the user.
    pub nudged: bool,
    /// The last events of the session.
    pub events: EventMemory,
    /// Ids of the events that were recorded last.
    pub(super) recorded: Vec<u64>,
    /// Checksums of the notices that the user was given.
    pub(super) notices: Vec<u64>,
    /// Cost of the run, read from its transcript. Only with a budget of money.
    pub costs: Option<TranscriptCost>,
}

/// Position in the transcript of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TranscriptOffset {
    /// Path of the transcript.
    pub path: String,
    /// Number of bytes that were read.
    pub at: u64,
}

/// Number of refusals of one loop.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct RefusalCount {
    id: String,
    count: u32,
    turn: u64,
}

impl HookState {
    /// Records that the agent was advised.
    pub fn add_advice(&mut self, turn: u64) {
        push_bounded(&mut self.advised, turn, MAX_ADVISED);
    }

    /// Records that a call was refused. Returns the number of refusals of its loop, this one included.
    pub fn add_refusal(&mut self, verdict: &Verdict) -> u32 {
        let turn = verdict.turn;
        self.refusals.retain(|known| known.turn.saturating_add(REFUSAL_TURNS) >= turn);
        let mut count = 1;
        for id in &verdict.sighted {
            let id = id.to_string();
            let before = self.refusals.iter().position(|known| known.id == id);
            let before = before.map_or(0, |at| self.refusals.remove(at).count);
            let refusal = RefusalCount { id, count: before + 1, turn };
            push_bounded(&mut self.refusals, refusal, MAX_REFUSALS);
            count = count.max(before + 1);
        }
        count
    }

    /// Remembers that an event was recorded. An event that waited in the queue has the same id there. 0 means that there is none.
    pub fn add_recorded(&mut self, event: u64) {
        if event != 0 {
            push_bounded(&mut self.recorded, event, MAX_RECORDED);
        }
    }

    /// Returns whether an event was recorded.
    pub fn has_recorded(&self, event: u64) -> bool {
        event != 0 && self.recorded.contains(&event)
    }

    /// Records that a human is asked about a call.
    pub fn add_question(&mut self, call: &str) {
        push_bounded(&mut self.asked, clip(call, ID_BYTES).to_owned(), MAX_ASKED);
    }

    /// Returns whether a human was asked about a call, and forgets the question.
    pub fn take_question(&mut self, call: &str) -> bool {
        let at = self.asked.iter().position(|asked| !call.is_empty() && asked == clip(call, ID_BYTES));
        at.map(|at| self.asked.remove(at)).is_some()
    }

    /// Records that a hook saw a call.
    pub fn add_call(&mut self, call: &str) {
        if !call.is_empty() && !self.has_call(call) {
            push_bounded(&mut self.calls, clip(call, ID_BYTES).to_owned(), MAX_CALLS);
        }
    }

    /// Returns whether a hook saw a call.
    pub fn has_call(&self, call: &str) -> bool {
        self.calls.iter().any(|known| known == clip(call, ID_BYTES))
    }

    /// Returns whether a hook saw a call that cannot be another one with the same id.
    pub fn has_taken(&self, call: &str) -> bool {
        is_unique(call) && self.has_call(call)
    }

    /// Records that the user is given a notice. Returns false if that happened before in this session.
    pub fn add_notice(&mut self, notice: &str) -> bool {
        let mut sum = DefaultHasher::new();
        notice.hash(&mut sum);
        let sum = sum.finish();
        let is_new = !self.notices.contains(&sum);
        if is_new {
            push_bounded(&mut self.notices, sum, MAX_NOTICES);
        }
        is_new
    }

    /// Forgets advice and refusals after a message of the user.
    pub fn reset(&mut self) {
        self.refusals.clear();
        self.advised.clear();
        self.nudged = false;
        self.events.stop = None;
        self.events.rejected_repeats = 0;
        self.events.drop_advice();
    }

    /// Allows calls for the rest of the session.
    pub fn allow(&mut self, rule: AllowRule) {
        self.reset();
        if !self.allowed.contains(&rule) {
            push_bounded(&mut self.allowed, rule, MAX_ALLOWED);
        }
    }

    /// Describes the measures against a loop so far, such as `advice at turn 3, one refusal`.
    pub fn describe_measures(&self, refusals: u32) -> Option<String> {
        describe_measures(&self.advised, refusals)
    }
}
