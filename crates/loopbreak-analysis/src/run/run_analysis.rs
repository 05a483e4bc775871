//! One run, step by step: a guard, and everything that a report tells of what the guard said.

use loopbreak::{Config, Guard, RunSummary, Snapshot, Step, Verdict};

use super::run_record::RunRecord;
use crate::report::RunReport;

/// Analyses one run. The replay goes on after a hard finding, as if nobody had acted.
#[derive(Debug)]
pub struct RunAnalysis {
    guard: Guard,
    record: RunRecord,
}

impl RunAnalysis {
    /// A run of this name that has not begun yet.
    pub fn new(config: &Config, run: impl Into<String>) -> Self {
        Self::begin(config, run.into(), false)
    }

    /// The same for a run that a page is to show: its steps are recorded too.
    pub fn recorded(config: &Config, run: impl Into<String>) -> Self {
        Self::begin(config, run.into(), true)
    }

    fn begin(config: &Config, run: String, recorded: bool) -> Self {
        let guard = Guard::new(config.clone()).for_run(&run);
        RunAnalysis { guard, record: RunRecord::new(config, run, recorded) }
    }

    pub(super) fn of(guard: Guard, record: RunRecord) -> Self {
        RunAnalysis { guard, record }
    }

    /// The name of the run.
    pub fn run(&self) -> &str {
        self.record.run()
    }

    /// What a series is told of the run.
    pub fn summary(&self) -> &RunSummary {
        self.record.summary()
    }

    /// Takes in the next step, and gives what the guard says of it.
    pub fn observe(&mut self, step: &Step<'_>) -> Verdict {
        self.observe_at(step, None)
    }

    /// The same for a step that was read from this line of a log.
    pub fn observe_at(&mut self, step: &Step<'_>, line: Option<u64>) -> Verdict {
        let verdict = self.guard.observe(step);
        self.record.add(step, &verdict, line);
        verdict
    }

    /// Takes the guard out, to be put away while other runs go on.
    pub fn into_parts(self) -> (Snapshot, RunRecord) {
        (self.guard.into_snapshot(), self.record)
    }

    /// Only what is needed for a report.
    pub fn into_record(self) -> RunRecord {
        self.record
    }

    /// Sums up.
    pub fn finish(self, source: impl Into<String>, format: &'static str) -> RunReport {
        self.record.finish(source, format)
    }
}
