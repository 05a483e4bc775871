//! What the agents changed: evidence of progress in runs without a score.

use serde::{Deserialize, Serialize};

use crate::memory::{KEY_BYTES, Key, Ring};

/// How many edits are remembered. One that is made again brings nothing new: it was undone in between, or it does
/// nothing.
const EDITS: usize = 48;

/// The changes made so far.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Effects {
    /// How many changes there were: the state of the world, as far as repetition is concerned.
    epoch: u64,
    edits: Ring<Key>,
}

impl Effects {
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Whether an edit was not made before, as far as is remembered.
    pub(crate) fn is_new(&self, edit: Key) -> bool {
        !self.edits.iter().any(|known| *known == edit)
    }

    /// Notes an edit that changed something.
    pub(crate) fn note(&mut self, edit: Key) {
        self.edits.push(edit, EDITS);
        self.epoch += 1;
    }

    pub(crate) fn bytes(&self, digits: usize) -> usize {
        40 + digits + self.edits.len() * KEY_BYTES
    }
}
