//! Decides which logs are read in parallel, and which get all threads.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use loopbreak::Config;
use loopbreak_trace::{InputSet, LogFormat, LogInput, bounded_name, expand_paths};
use rayon::prelude::*;

use super::analyzed_logs::AnalyzedLogs;
use super::log_analysis::LogAnalysis;
use super::run_dispatcher;
use super::step_observer::{NoObserver, StepObserver};
use crate::run::replay_config;

/// Size in bytes from which a log gets all threads. Smaller ones are read in parallel.
const LARGE_LOG: u64 = 4 * 1024 * 1024;

/// Options of an analysis.
#[derive(Clone, Debug)]
pub struct AnalyzeOptions {
    /// The settings of every guard.
    pub config: Config,
    /// Analyzes only the run with this id.
    pub only_run: Option<String>,
    /// Reads every log as this format, without detection.
    pub format: Option<LogFormat>,
    /// Maximum number of notes about lines that are kept per log.
    pub notes_per_log: usize,
    /// Records the steps of the runs for a page: see [`crate::recording`].
    pub record_steps: bool,
}

impl AnalyzeOptions {
    /// Returns options for all runs in all formats, without notes and recordings.
    pub fn new(config: Config) -> Self {
        AnalyzeOptions { config, only_run: None, format: None, notes_per_log: 0, record_steps: false }
    }
}

impl Default for AnalyzeOptions {
    fn default() -> Self {
        AnalyzeOptions::new(Config::default())
    }
}

/// Analyzes logs.
#[derive(Clone)]
pub struct LogAnalyzer {
    options: AnalyzeOptions,
    progress: Arc<dyn Fn(u64) + Send + Sync>,
}

impl fmt::Debug for LogAnalyzer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogAnalyzer").field("options", &self.options).finish_non_exhaustive()
    }
}

impl LogAnalyzer {
    /// Creates an analyzer.
    pub fn new(mut options: AnalyzeOptions) -> Self {
        // Once for all runs, because every change of settings prepares their tables again.
        options.config = replay_config(&options.config);
        // Readers shorten long names.
        options.only_run = options.only_run.map(|run| bounded_name(&run).into_owned());
        LogAnalyzer { options, progress: Arc::new(|_| {}) }
    }

    /// Calls `progress` with the number of bytes whenever some were read, from any thread.
    #[must_use]
    pub fn on_progress(mut self, progress: impl Fn(u64) + Send + Sync + 'static) -> Self {
        self.progress = Arc::new(progress);
        self
    }

    /// Returns the options.
    pub fn options(&self) -> &AnalyzeOptions {
        &self.options
    }

    /// Analyzes files and folders, in parallel.
    pub fn run<P: AsRef<Path>>(&self, paths: impl IntoIterator<Item = P>) -> AnalyzedLogs {
        self.run_inputs(expand_paths(paths))
    }

    /// Analyzes inputs, in parallel.
    pub fn run_inputs(&self, inputs: InputSet) -> AnalyzedLogs {
        let all = &inputs.inputs;
        // If there are as many large logs as threads, each thread gets one.
        let few = all.iter().filter(|input| is_large(input)).count() < rayon::current_num_threads();
        let small =
            |input: &LogInput| (!(few && is_large(input))).then(|| self.analyze_log(input, &mut NoObserver));
        let mut logs: Vec<Option<LogAnalysis>> = all.par_iter().map(small).collect();
        // One after the other: each uses all threads, and memory for all of them would be needed at the same time.
        for (input, log) in all.iter().zip(&mut logs) {
            if log.is_none() {
                *log = Some(run_dispatcher::read_on_all_threads(input, &self.options, self.watch()));
            }
        }
        let logs = logs.into_iter().flatten().collect();
        AnalyzedLogs::new(inputs, logs, &self.options.config)
    }

    /// Analyzes inputs in parallel, each on one thread and with its own observer. Returns the observers in the order
    /// of the inputs.
    pub fn run_observed<O: StepObserver>(
        &self,
        inputs: InputSet,
        observer: impl Fn() -> O + Sync,
    ) -> (AnalyzedLogs, Vec<O>) {
        let analyze = |input: &LogInput| {
            let mut observer = observer();
            (self.analyze_log(input, &mut observer), observer)
        };
        let (logs, observers) = inputs.inputs.par_iter().map(analyze).unzip();
        (AnalyzedLogs::new(inputs, logs, &self.options.config), observers)
    }

    /// Like [`LogAnalyzer::run_observed`], one log after the other.
    pub fn run_in_order<O: StepObserver>(
        &self,
        inputs: InputSet,
        mut observer: impl FnMut() -> O,
    ) -> (AnalyzedLogs, Vec<O>) {
        let analyze = |input: &LogInput| {
            let mut observer = observer();
            (self.analyze_log(input, &mut observer), observer)
        };
        let (logs, observers) = inputs.inputs.iter().map(analyze).unzip();
        (AnalyzedLogs::new(inputs, logs, &self.options.config), observers)
    }

    /// Analyzes one log on the current thread.
    pub fn analyze_log(&self, input: &LogInput, observer: &mut dyn StepObserver) -> LogAnalysis {
        run_dispatcher::read(input, &self.options, observer, self.watch())
    }

    fn watch(&self) -> impl Fn(u64) + Clone + Send + 'static {
        let progress = Arc::clone(&self.progress);
        move |bytes| progress(bytes)
    }
}

/// Returns whether a log gets all threads. The length of a stream is unknown, so a stream always does.
fn is_large(input: &LogInput) -> bool {
    input.path().is_none() || input.size() >= LARGE_LOG
}
