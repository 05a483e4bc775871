//! The changes that agents made: evidence of progress in runs without a score.

use crate::memory::{HashKey, RingBuffer, snapshot_type};
use crate::step::Step;

/// Number of edits that are remembered. A repeated edit is not new: it was undone in between, or it has no
/// effect.
const EDITS: usize = 48;

snapshot_type! {
    /// The changes made so far.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(crate) struct ChangeHistory {
        /// Number of changes so far. It identifies the state of the environment for the detection of repetition.
        epoch: u64,
        edits: RingBuffer<HashKey, EDITS>,
        /// Highest score so far.
        highest: Option<f64>,
        /// True if the run reports its progress.
        measures: bool,
        /// True if a critic scored any action.
        criticized: bool,
    }
}

impl ChangeHistory {
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Returns whether an edit is not among the remembered ones.
    pub(crate) fn is_new(&self, edit: HashKey) -> bool {
        !self.edits.iter().any(|known| *known == edit)
    }

    /// Records an edit that changed something.
    pub(crate) fn note(&mut self, edit: HashKey) {
        self.edits.push(edit);
        self.epoch += 1;
    }

    /// Returns whether a step made progress: by a new highest score, an objective, or an explicit mark. An agent that
    /// makes progress is not stuck, even if it repeats itself.
    pub(crate) fn gets_further(&mut self, step: &Step<'_>) -> bool {
        let score = step.score.filter(|score| score.is_finite());
        let rises = score.zip(self.highest).is_some_and(|(score, highest)| score > highest);
        if let Some(score) = score {
            self.highest = Some(self.highest.map_or(score, |highest| highest.max(score)));
        }
        self.measures |= score.is_some() || step.objectives.is_some() || step.progress.is_some();
        self.criticized |= step.critic.is_some();
        let completes = step.objectives.as_ref().is_some_and(|objectives| !objectives.completed.is_empty());
        rises || completes || step.progress == Some(true)
    }

    /// Returns whether a critic scored any action of the run.
    pub(crate) fn criticized(&self) -> bool {
        self.criticized
    }

    /// Returns whether the run reports its progress by a score, an objective or a mark.
    pub(crate) fn measures(&self) -> bool {
        self.measures
    }
}
