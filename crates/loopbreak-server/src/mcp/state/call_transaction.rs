//! A run while a call changes it.

use loopbreak::{Config, Guard, Series};
use loopbreak_store::tasks::RoadmapTask;
use loopbreak_store::{NewUnsentStep, RunChange, RunEvent, RunRecords, RunState};

use crate::mcp::protocol::ToolError;

/// A run while a call changes it.
#[derive(Debug)]
pub(crate) struct CallTransaction {
    pub(crate) state: RunState,
    pub(crate) guard: Guard,
    pub(crate) series: Series,
    /// Settings of the series as they apply to this run: if it is held out, they only observe.
    pub(crate) config: Config,
    /// The roadmap, for calls about tasks.
    pub(crate) tasks: Vec<RoadmapTask>,
    pub(crate) records: RunRecords,
    pub(crate) now: i64,
    /// Steps that have to be sent to a service.
    pub(crate) unsent: Vec<NewUnsentStep>,
    events: Vec<RunEvent>,
    has_attempts: bool,
}

impl CallTransaction {
    /// Restores guard and series from the state of a run. A state that cannot be read starts over, as in hooks.
    pub(crate) fn restore(
        json: Option<&str>,
        steps: &Config,
        config: &Config,
        run: &str,
        now: i64,
    ) -> Result<Self, ToolError> {
        let mut state = RunState::parse(json, |_| {});
        let guard = state.guard.restore(steps.clone(), run);
        let guard = guard.map_err(|error| ToolError::new(error.to_string(), "Nothing was recorded"))?;
        let has_attempts = state.series.attempts.is_some();
        let config = guard.applied_config(config);
        let series = state.series.restore(config.clone());
        let (tasks, records, events) = (Vec::new(), RunRecords::default(), Vec::new());
        let unsent = Vec::new();
        Ok(CallTransaction {
            state,
            guard,
            series,
            config,
            tasks,
            records,
            now,
            unsent,
            events,
            has_attempts,
        })
    }

    /// Adds an event to the log of the run.
    pub(crate) fn log(&mut self, event: RunEvent) {
        self.events.push(event);
    }

    /// Marks that the run has attempts at tasks, so that the series is stored.
    pub(crate) fn keep_series(&mut self) {
        self.has_attempts = true;
    }

    /// Prepares a run that is kept in memory for its next call: what the last one recorded is for the store, and dropped.
    pub(crate) fn begin_next(&mut self, now: i64) {
        self.events.clear();
        self.records = RunRecords::default();
        self.now = now;
    }

    /// Returns the state as JSON, for a run that stays in memory.
    pub(crate) fn state_json(&self) -> Result<String, ToolError> {
        let mut state = self.state.clone();
        if self.has_attempts {
            state.series.save(&self.series);
        }
        state.guard.save(&self.guard);
        state.into_json().map_err(|error| ToolError::new(error.to_string(), "Nothing was recorded"))
    }

    /// Returns everything that has to be written.
    pub(crate) fn into_change(mut self) -> Result<RunChange, ToolError> {
        if self.has_attempts {
            self.state.series.save(&self.series);
        }
        self.state.guard.save(&self.guard);
        let state = self.state.into_json();
        let state = state.map_err(|error| ToolError::new(error.to_string(), "Nothing was recorded"))?;
        Ok(RunChange {
            state: Some(state),
            events: self.events,
            records: self.records,
            ended: false,
            cost: None,
            unsent: self.unsent,
        })
    }
}
