//! Guards of runs that are kept in memory.

use std::collections::BTreeMap;

use loopbreak::{Config, Guard, Proposal, Settings, Step};
use loopbreak_store::now;

use crate::mcp::ServeError;
use crate::mcp::protocol::ToolError;
use crate::mcp::state::{CallTransaction, guard_configs};
use crate::mcp::tools::output::{RecordStepOutput, RulingOutput};
use crate::mcp::tools::{observe_step, verdict_output};

/// Largest number of runs that are kept. The least recently used one is forgotten first.
pub const MAX_RUNS: usize = 1000;
/// Largest number of tasks of a run that are kept.
const MAX_TASKS: usize = 200;

/// Guards of runs that are kept in memory.
#[derive(Debug)]
pub(super) struct MemoryRuns {
    /// Configurations of the guards and of the series.
    configs: (Config, Config),
    runs: BTreeMap<String, MemoryRun>,
    /// Number of steps of all runs.
    steps: u64,
}

/// A run that is kept in memory.
#[derive(Debug)]
struct MemoryRun {
    transaction: CallTransaction,
    /// Number of the last step among those of all runs.
    last_step: u64,
}

impl MemoryRuns {
    pub(super) fn new(settings: &Settings) -> Result<Self, ServeError> {
        Ok(MemoryRuns { configs: guard_configs(settings)?, runs: BTreeMap::new(), steps: 0 })
    }

    /// Shows a step to the guard of its run.
    pub(super) fn record(&mut self, run: &str, step: &Step<'_>) -> Result<RecordStepOutput, ToolError> {
        self.steps += 1;
        if !self.runs.contains_key(run) {
            self.make_room();
            let (steps, config) = &self.configs;
            let transaction = CallTransaction::restore(None, steps, config, run, now())?;
            self.runs.insert(run.to_owned(), MemoryRun { transaction, last_step: 0 });
        }
        let Some(known) = self.runs.get_mut(run) else {
            return Err(ToolError::new("The run is not kept", "Nothing was recorded"));
        };
        known.last_step = self.steps;
        known.transaction.begin_next(now());
        let surplus = known.transaction.tasks.len().saturating_sub(MAX_TASKS);
        known.transaction.tasks.drain(..surplus);
        observe_step(&mut known.transaction, run, step)
    }

    /// Weighs a proposal. Changes nothing.
    pub(super) fn weigh(&self, run: &str, proposal: &Proposal<'_>) -> RulingOutput {
        let ruling = match self.runs.get(run) {
            Some(known) => known.transaction.guard.weigh(proposal),
            None => Guard::new(self.configs.0.clone()).for_run(run).weigh(proposal),
        };
        verdict_output::ruling(run, &ruling)
    }

    /// Forgets the least recently used run if there is no room for another one.
    fn make_room(&mut self) {
        if self.runs.len() < MAX_RUNS {
            return;
        }
        let oldest = self.runs.iter().min_by_key(|(_, run)| run.last_step).map(|(name, _)| name.clone());
        if let Some(oldest) = oldest {
            self.runs.remove(&oldest);
        }
    }
}
