//! One run, step by step: its guard, and the statistics of its verdicts.

use loopbreak::{Config, Guard, Snapshot, Step, Verdict, series::RunSummary};

use super::corrupt_record::CorruptRecord;
use super::first_steps::FirstSteps;
use super::replay_config::replay_config;
use super::run_record::RunRecord;
use crate::prices::StepPricer;
use crate::report::RunReport;

/// Analyzes one run. The replay continues after a hard finding, as if nothing had been done about it, and judges a run
/// that is held out (`policy.holdout`) like any other.
#[derive(Debug)]
pub struct RunAnalysis {
    guard: Guard,
    record: RunRecord,
    pricer: StepPricer,
    /// The steps so far, as long as they are few.
    first_steps: Option<FirstSteps>,
}

/// A run in the form in which it takes little room.
#[derive(Debug)]
pub(crate) enum StoredRun {
    /// Its steps, if they are few. [`RunAnalysis::replay`] continues the run.
    Steps(Vec<u8>),
    /// The snapshot of its guard, and its record. [`RunRecord::resume`] continues the run.
    Guard(Box<(Snapshot, RunRecord)>),
}

impl RunAnalysis {
    /// Creates the analysis of a run without steps.
    pub fn new(config: &Config, run: impl Into<String>) -> Self {
        Self::begin(config, run.into(), false)
    }

    /// Creates the analysis of a run whose steps are also recorded for a page.
    pub fn recorded(config: &Config, run: impl Into<String>) -> Self {
        Self::begin(config, run.into(), true)
    }

    fn begin(config: &Config, run: String, recorded: bool) -> Self {
        let guard = Guard::new(replay_config(config)).for_run(&run);
        let record = RunRecord::new(config, run, recorded);
        let pricer = StepPricer::new(config);
        RunAnalysis { guard, record, pricer, first_steps: Some(FirstSteps::default()) }
    }

    pub(super) fn from_parts(config: &Config, guard: Guard, record: RunRecord) -> Self {
        RunAnalysis { guard, record, pricer: StepPricer::new(config), first_steps: None }
    }

    /// Continues a run that was stored as its steps.
    pub(crate) fn replay(
        config: &Config,
        run: &str,
        recorded: bool,
        steps: &[u8],
    ) -> Result<Self, CorruptRecord> {
        let mut analysis = Self::begin(config, run.to_owned(), recorded);
        let is_whole = FirstSteps::for_each(steps, |step, line| _ = analysis.observe_at(step, line));
        if is_whole { Ok(analysis) } else { Err(CorruptRecord) }
    }

    /// Returns the name of the run.
    pub fn run(&self) -> &str {
        self.record.run()
    }

    /// Returns the summary of the run for a series.
    pub fn summary(&self) -> &RunSummary {
        self.record.summary()
    }

    /// Sets the folder of the project that the agent works in, if it is not known yet.
    pub fn set_project(&mut self, project: &str) {
        self.record.set_project(project);
        // The steps alone do not have it.
        self.first_steps = None;
    }

    /// Observes the next step and returns the verdict.
    pub fn observe(&mut self, step: &Step<'_>) -> Verdict {
        self.observe_at(step, None)
    }

    /// Observes a step that was read from this line of a log.
    pub fn observe_at(&mut self, step: &Step<'_>, line: Option<u64>) -> Verdict {
        if self.first_steps.as_mut().is_some_and(|steps| !steps.add(step, line)) {
            self.first_steps = None;
        }
        // The cost that the report estimates is the one that budgets count, as they do live.
        let priced = self.guard.config().budget.limits_cost().then(|| self.pricer.with_cost(step)).flatten();
        let verdict = self.guard.observe(priced.as_ref().unwrap_or(step));
        let cost = self.pricer.cost(step);
        self.record.add(step, &verdict, &cost, line);
        verdict
    }

    /// Returns the run in the form that takes the least room, to be stored while other runs continue.
    pub(crate) fn into_stored(mut self) -> StoredRun {
        match self.first_steps.take() {
            Some(steps) => StoredRun::Steps(steps.into_bytes()),
            None => StoredRun::Guard(Box::new(self.into_parts())),
        }
    }

    /// Splits the analysis into the snapshot of the guard and the record, to be stored while other runs continue.
    pub fn into_parts(self) -> (Snapshot, RunRecord) {
        (self.guard.into_snapshot(), self.record)
    }

    /// Returns the record, to be encoded after the last step.
    pub(crate) fn record_mut(&mut self) -> &mut RunRecord {
        &mut self.record
    }

    /// Returns the record without the guard.
    pub fn into_record(self) -> RunRecord {
        self.record
    }

    /// Ends the run and returns its result.
    pub fn finish(self, source: impl Into<String>, format: &'static str) -> RunReport {
        self.record.finish(source, format)
    }
}
