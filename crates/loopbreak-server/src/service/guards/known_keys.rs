//! The idempotency keys that a run has seen last, with the answers that they got.

use std::collections::{BTreeMap, VecDeque};

use loopbreak_store::service::RunVerdict;

/// Number of idempotency keys that are remembered in memory. Older ones are looked up in the store.
const KNOWN_KEYS: usize = 64;

/// The last idempotency keys of a run, with their answers.
#[derive(Debug, Default)]
pub(super) struct KnownKeys {
    answers: BTreeMap<String, (RunVerdict, String)>,
    order: VecDeque<String>,
    /// True if the run has had no other keys.
    pub(super) is_complete: bool,
}

/// The answer to an earlier step with a key.
#[derive(Debug)]
pub(super) enum KnownAnswer {
    /// It is in memory.
    Known(RunVerdict, String),
    /// There was none.
    New,
    /// Only the store knows.
    InStore,
}

impl KnownKeys {
    /// Returns the answer to an earlier step or call with a key.
    pub(super) fn find(&self, key: &str) -> KnownAnswer {
        match self.answers.get(key) {
            Some((verdict, json)) => KnownAnswer::Known(*verdict, json.clone()),
            None if self.is_complete => KnownAnswer::New,
            None => KnownAnswer::InStore,
        }
    }

    /// Adds an answer, and forgets the oldest if there are too many.
    pub(super) fn add(&mut self, key: String, verdict: RunVerdict, answer: &str) {
        if self.order.len() >= KNOWN_KEYS
            && let Some(oldest) = self.order.pop_front()
        {
            self.answers.remove(&oldest);
            self.is_complete = false;
        }
        self.order.push_back(key.clone());
        self.answers.insert(key, (verdict, answer.to_owned()));
    }
}
