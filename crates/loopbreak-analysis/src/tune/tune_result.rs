//! The result of a search as data.

use serde::Serialize;

use super::choice::{TuneChoice, choose};
use super::kept_run::KeptRun;
use super::search::SearchOutcome;
use crate::eval::{LabelCondition, LabelSelection, RunSelection};

/// The name and version of this form of result.
pub const SCHEMA: &str = "loopbreak.tune/1";

/// The result of a search.
#[derive(Clone, Debug, Serialize)]
pub struct TuneResult {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The runs of the evaluation.
    #[serde(flatten)]
    pub looked_at: RunSelection,
    /// Number of settings tried.
    pub trials: u64,
    /// The seed of the search.
    pub seed: u64,
    /// The choice.
    #[serde(flatten)]
    pub choice: TuneChoice,
}

impl TuneResult {
    /// Chooses among the trials. Returns `None` if none was made.
    pub fn new(
        runs: &[KeptRun],
        outcome: &SearchOutcome,
        selection: Option<&LabelSelection>,
        folds: usize,
        seed: u64,
    ) -> Option<Self> {
        let labels: Vec<Option<bool>> = runs.iter().map(|run| run.positive).collect();
        let choice = choose(&outcome.tried, &labels, folds, seed)?;
        let text = |condition: &Option<LabelCondition>| condition.as_ref().map(|it| it.as_str().to_owned());
        let positive = selection.and_then(|selection| text(&selection.positive));
        let positives = runs.iter().filter(|run| run.positive == Some(true)).count() as u64;
        let looked_at = RunSelection {
            positives: positive.is_some().then_some(positives),
            positive,
            only: selection.and_then(|selection| text(&selection.only)),
            runs: runs.len() as u64,
            steps: runs.iter().map(|run| run.turns).sum(),
        };
        Some(TuneResult { schema: SCHEMA, looked_at, trials: outcome.tried.len() as u64, seed, choice })
    }
}
