//! The attempts at tasks that were reported over MCP.

use loopbreak::series::SeriesState;
use loopbreak::{Config, Series};

/// The attempts at tasks that were reported over MCP.
#[derive(Clone, Debug, Default)]
pub struct TaskSeries {
    /// State of the series, `None` if no attempt was reported.
    pub attempts: Option<SeriesState>,
    /// The times of the attempts come from another clock than that of this machine.
    pub foreign_clock: bool,
}

impl TaskSeries {
    /// Restores the series and removes its state from here.
    pub fn restore(&mut self, config: Config) -> Series {
        Series::restore(config, self.attempts.take().unwrap_or_default())
    }

    /// Puts the series back into the state.
    pub fn save(&mut self, series: &Series) {
        self.attempts = Some(series.snapshot());
    }
}
