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
use super::stored_log;
use crate::cache::{CachePart, CacheTicket, LogCache, ResultKey};
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
    /// The cache, and the key of the results of these options.
    cache: Option<(Arc<LogCache>, ResultKey)>,
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
        LogAnalyzer { options, progress: Arc::new(|_| {}), cache: None }
    }

    /// Calls `progress` with the number of bytes whenever some were read, from any thread.
    #[must_use]
    pub fn on_progress(mut self, progress: impl Fn(u64) + Send + Sync + 'static) -> Self {
        self.progress = Arc::new(progress);
        self
    }

    /// Takes the results of logs that were analyzed before from a cache, and stores those of others in it. Only
    /// [`LogAnalyzer::run_inputs`] and [`LogAnalyzer::run`] do so: observers need every step.
    #[must_use]
    pub fn with_cache(mut self, cache: Arc<LogCache>) -> Self {
        self.cache = ResultKey::new(&self.options).ok().map(|key| (cache, key));
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
        let found: Vec<LogState> = all.par_iter().map(|input| self.find(input)).collect();
        let is_unread_and_large =
            |(input, state): &(&LogInput, &LogState)| matches!(state, LogState::Unread(_)) && is_large(input);
        // If there are as many large logs as threads, each thread gets one.
        let few = all.iter().zip(&found).filter(is_unread_and_large).count() < rayon::current_num_threads();
        let small = |(input, state): (&LogInput, LogState)| match state {
            LogState::Unread(ticket) if !(few && is_large(input)) => LogState::Analyzed(Box::new(
                self.analyze_and_store(input, ticket.as_ref(), |input, encodes| {
                    run_dispatcher::read(input, &self.options, encodes, &mut NoObserver, self.watch())
                }),
            )),
            state => state,
        };
        let logs: Vec<LogState> = all.par_iter().zip(found).map(small).collect();
        // One after the other: each uses all threads, and memory for all of them would be needed at the same time.
        let large = |(input, state): (&LogInput, LogState)| match state {
            LogState::Analyzed(log) => *log,
            LogState::Unread(ticket) => self.analyze_and_store(input, ticket.as_ref(), |input, encodes| {
                run_dispatcher::read_on_all_threads(input, &self.options, encodes, self.watch())
            }),
        };
        let logs = all.iter().zip(logs).map(large).collect();
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
        run_dispatcher::read(input, &self.options, false, observer, self.watch())
    }

    /// Takes the analysis of a log from the cache, if it is there.
    fn find(&self, input: &LogInput) -> LogState {
        let Some((cache, key)) = &self.cache else { return LogState::Unread(None) };
        let Some(ticket) = LogCache::ticket(input, *key) else { return LogState::Unread(None) };
        let decode = || {
            let recordings = if self.options.record_steps {
                Some(cache.find(&ticket, CachePart::Recordings)?)
            } else {
                None
            };
            let figures = cache.find(&ticket, CachePart::Runs)?;
            stored_log::decode(input, &self.options, &figures, recordings.as_deref())
        };
        match decode() {
            Some(log) => {
                cache.note_reused();
                (self.progress)(input.size());
                LogState::Analyzed(Box::new(log))
            }
            None => LogState::Unread(Some(ticket)),
        }
    }

    /// Analyzes a log with `read`, and stores the result in the cache if it is that of the whole log.
    fn analyze_and_store(
        &self,
        input: &LogInput,
        ticket: Option<&CacheTicket>,
        read: impl FnOnce(&LogInput, bool) -> LogAnalysis,
    ) -> LogAnalysis {
        let ticket = ticket.filter(|_| self.options.only_run.is_none());
        let mut log = read(input, ticket.is_some());
        let encoded = log.runs.take_encoded();
        if let (Some((cache, _)), Some(ticket), Some(encoded)) = (&self.cache, ticket, encoded)
            && let Some(parts) = stored_log::encode(&log, encoded)
        {
            cache.store(ticket, input, &parts);
        }
        log
    }

    fn watch(&self) -> impl Fn(u64) + Clone + Send + 'static {
        let progress = Arc::clone(&self.progress);
        move |bytes| progress(bytes)
    }
}

/// A log before and after it was read.
enum LogState {
    Unread(Option<CacheTicket>),
    Analyzed(Box<LogAnalysis>),
}

/// Returns whether a log gets all threads. The length of a stream is unknown, so a stream always does.
fn is_large(input: &LogInput) -> bool {
    input.path().is_none() || input.size() >= LARGE_LOG
}
