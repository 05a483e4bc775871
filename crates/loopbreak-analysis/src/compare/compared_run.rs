//! One run under two settings.

use serde::Serialize;

use crate::json_number::plain_option;
use crate::report::{FirstStop, FirstWarning, RunEnding, RunReport, VerdictName};

/// The result of a run under one of the settings.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SettingsOutcome {
    /// The verdict.
    pub verdict: VerdictName,
    /// The first finding at `warn` or above.
    pub first_warning: Option<FirstWarning>,
    /// The first hard finding.
    pub first_stop: Option<FirstStop>,
    /// The point where the run would have ended or been escalated to a human.
    pub ending: Option<RunEnding>,
    /// Turns after it, which would have been saved.
    pub steps_after_ending: u64,
    /// Tokens after it.
    pub tokens_after_ending: Option<u64>,
    /// US dollars after it.
    #[serde(serialize_with = "plain_option")]
    pub cost_after_ending_usd: Option<f64>,
    /// Progress was made after it and would have been lost; absent without a progress signal.
    pub progress_after_ending: Option<bool>,
}

impl From<&RunReport> for SettingsOutcome {
    fn from(run: &RunReport) -> Self {
        SettingsOutcome {
            verdict: run.verdict,
            first_warning: run.first_warning.clone(),
            first_stop: run.first_stop.clone(),
            ending: run.ending.clone(),
            steps_after_ending: run.steps_after_ending,
            tokens_after_ending: run.tokens_after_ending,
            cost_after_ending_usd: run.cost_after_ending_usd,
            progress_after_ending: run.progress_after_ending,
        }
    }
}

/// A run whose result changes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparedRun {
    /// Its id, or the name of its file.
    pub run: String,
    /// The file it was read from.
    pub source: String,
    /// Number of turns.
    pub steps: u64,
    /// The result with the settings as they are.
    pub before: SettingsOutcome,
    /// The result with the other settings.
    pub after: SettingsOutcome,
}

impl ComparedRun {
    /// Returns how much changes: another verdict counts most, then the turns that are saved, then a warning at another turn.
    pub(super) fn weight(&self) -> (bool, u64, u64) {
        let turn =
            |outcome: &SettingsOutcome| outcome.first_warning.as_ref().map_or(0, |warning| warning.turn);
        (
            self.before.verdict != self.after.verdict,
            self.before.steps_after_ending.abs_diff(self.after.steps_after_ending),
            turn(&self.before).abs_diff(turn(&self.after)),
        )
    }
}
