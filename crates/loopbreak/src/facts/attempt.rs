//! Decides which calls are one decision. The calls of one message are: if they fail together, that is one attempt.

use crate::memory::{HashKey, RingBuffer, key_of, snapshot_type};
use crate::step::Step;

/// Number of calls of a message that are told apart.
const CALLS: usize = 8;

snapshot_type! {
    /// The calls of the current message.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(crate) struct ParallelCalls {
        #[serde(rename = "b")]
        batch: HashKey,
        #[serde(rename = "c")]
        calls: RingBuffer<HashKey, CALLS>,
        /// True if a call of the message failed.
        #[serde(rename = "f")]
        failed: bool,
        /// True if a call of the message was refused.
        #[serde(rename = "r")]
        refused: bool,
    }
}

/// The part of a step in the decision of its message.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AttemptPart {
    /// True if an earlier call of the same message was identical.
    pub(crate) repeats_call: bool,
    /// True if an earlier call of the same message failed.
    pub(crate) repeats_failure: bool,
    /// True if the step is a refused call, and an earlier call of the same message was refused: the agent could not have read
    /// that yet.
    pub(crate) repeats_refusal: bool,
}

impl ParallelCalls {
    /// Records a call. Returns its part in the decision.
    pub(crate) fn note(&mut self, step: &Step<'_>, call: HashKey, failed: bool) -> AttemptPart {
        if step.batch.is_none() && self.batch == HashKey::NONE {
            return AttemptPart::default();
        }
        let batch = step.batch.as_ref().map_or(HashKey::NONE, |batch| key_of(&batch.as_text()));
        let continues = batch != HashKey::NONE && batch == self.batch;
        if !continues {
            *self = ParallelCalls { batch, ..ParallelCalls::default() };
        }
        let part = AttemptPart {
            repeats_call: continues && self.calls.iter().any(|known| *known == call),
            repeats_failure: continues && self.failed && failed,
            repeats_refusal: continues && self.refused && step.refused,
        };
        if batch != HashKey::NONE {
            self.calls.push(call);
            self.failed |= failed;
            self.refused |= step.refused;
        }
        part
    }
}
