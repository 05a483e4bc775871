//! The order of the runs in a table.

use loopbreak_analysis::{RunReport, VerdictName};

/// The order of the runs in a table. The highest figure comes first, and equal ones in the order of the logs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunOrder {
    /// By what was spent in loops; then by verdict, and by the steps that a stop would have saved.
    #[default]
    Waste,
    /// By cost.
    Cost,
    /// By tokens.
    Tokens,
    /// By steps.
    Steps,
    /// By the time of the last step.
    Date,
    /// In the order of the logs.
    Log,
}

/// A figure that runs are sorted by.
pub(crate) type OrderKey = (u64, VerdictName, u64, u64);

impl RunOrder {
    /// Returns the figure that a run is sorted by.
    pub(crate) fn key(self, run: &RunReport) -> OrderKey {
        let micros = |usd: Option<f64>| (usd.unwrap_or(0.0) * 1e6) as u64;
        let only = |figure: u64| (figure, VerdictName::Clear, 0, 0);
        match self {
            RunOrder::Waste => {
                let spending = &run.spending;
                let in_loops = micros(spending.in_loops_usd);
                (in_loops, run.verdict, run.steps_after_ending, spending.steps_in_loops)
            }
            RunOrder::Cost => only(micros(run.spending.spent_usd)),
            RunOrder::Tokens => only(run.tokens.unwrap_or(0)),
            RunOrder::Steps => only(run.steps),
            RunOrder::Date => only(run.ended.map_or(0, |ended| u64::try_from(ended).unwrap_or(0))),
            RunOrder::Log => only(0),
        }
    }
}
