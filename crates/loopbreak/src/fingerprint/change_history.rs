//! What the agents changed: evidence of progress in runs without a score.

use serde::{Deserialize, Serialize};

use crate::memory::{KEY_BYTES, Key, Ring};
use crate::step::Step;

/// How many edits are remembered. One that is made again brings nothing new: it was undone in between, or it does
/// nothing.
const EDITS: usize = 48;

/// The changes made so far.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ChangeHistory {
    /// How many changes there were: the state of the world, as far as repetition is concerned.
    epoch: u64,
    edits: Ring<Key>,
    /// The highest score so far.
    highest: Option<f64>,
    /// The run tells how far it got.
    measures: bool,
}

impl ChangeHistory {
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

    /// Whether a step got further than any before it: by its score, by an objective, or by its own mark. Whoever gets
    /// further is not stuck, however much he repeats on the way.
    pub(crate) fn gets_further(&mut self, step: &Step<'_>) -> bool {
        let score = step.score.filter(|score| score.is_finite());
        let rises = score.zip(self.highest).is_some_and(|(score, highest)| score > highest);
        if let Some(score) = score {
            self.highest = Some(self.highest.map_or(score, |highest| highest.max(score)));
        }
        self.measures |= score.is_some() || step.objectives.is_some() || step.progress.is_some();
        let completes = step.objectives.as_ref().is_some_and(|objectives| !objectives.completed.is_empty());
        rises || completes || step.progress == Some(true)
    }

    /// Whether the run has told how far it got, by a score, an objective or a mark.
    pub(crate) fn measures(&self) -> bool {
        self.measures
    }

    pub(crate) fn bytes(&self, digits: usize) -> usize {
        100 + digits + self.edits.len() * KEY_BYTES
    }
}
