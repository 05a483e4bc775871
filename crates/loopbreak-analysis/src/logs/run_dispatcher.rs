//! Reads one log and dispatches its records to their runs.

use std::borrow::Cow;
use std::io;

use loopbreak_trace::{
    LogInput, LogRecord, OpenError, OpenedLog, ReadStats, RecordSink, SkippedLine, UnreadItem,
};

use super::finished_runs::LogInfo;
use super::log_analysis::{LogAnalysis, LogReadSummary};
use super::log_analyzer::AnalyzeOptions;
use super::open_runs::OpenRuns;
use super::run_batch;
use super::spill_file::SpillError;
use super::step_observer::{NoObserver, StepObserver};
use crate::series::ReportedAttempt;

/// Number of ids of other runs that are kept, to be suggested if the selected run does not exist.
pub(super) const OTHER_RUNS: usize = 10_000;

/// Reads a log on the current thread. Its runs are encoded for the cache if `encodes` is set.
pub(super) fn read(
    input: &LogInput,
    options: &AnalyzeOptions,
    encodes: bool,
    observer: &mut dyn StepObserver,
    watch: impl Fn(u64) + Clone + Send + 'static,
) -> LogAnalysis {
    read_with(input, options, encodes, observer, watch, |log, reader| log.read(reader))
}

/// Reads a log on all threads, where its format allows that.
pub(super) fn read_on_all_threads(
    input: &LogInput,
    options: &AnalyzeOptions,
    encodes: bool,
    watch: impl Fn(u64) + Clone + Send + 'static,
) -> LogAnalysis {
    read_with(input, options, encodes, &mut NoObserver, watch, |log, reader| match log.into_blocks() {
        Ok(blocks) => run_batch::read(blocks, reader),
        Err(log) => log.read(reader),
    })
}

fn read_with<'r>(
    input: &LogInput,
    options: &'r AnalyzeOptions,
    encodes: bool,
    observer: &'r mut dyn StepObserver,
    watch: impl Fn(u64) + Clone + Send + 'static,
    read: impl FnOnce(OpenedLog, &mut RunDispatcher<'r>) -> io::Result<ReadStats>,
) -> LogAnalysis {
    let log = match input.open(options.format, watch) {
        Ok(log) => log,
        Err(refusal) => {
            return LogAnalysis { reading: LogReadSummary::refused(refusal), ..LogAnalysis::default() };
        }
    };
    let format = log.format();
    let mut reader = RunDispatcher {
        options,
        observer,
        unnamed: input.run(),
        runs: OpenRuns::new(&options.config, options.record_steps),
        last: None,
        project: None,
        has_content: false,
        failed: Ok(()),
        analysis: LogAnalysis::default(),
    };
    let read = read(log, &mut reader);
    let RunDispatcher { runs, has_content, failed, mut analysis, .. } = reader;
    let reading = &mut analysis.reading;
    match failed.and(read) {
        Ok(read) => reading.bytes = read.bytes,
        Err(error) => reading.refusal = Some(SpillError::refusal(error)),
    }
    // A log of which nothing could be read is still a log.
    if reading.refusal.is_none() && !has_content && reading.unread_items == 0 {
        reading.refusal = Some(options.format.map_or(OpenError::Unknown, OpenError::WrongFormat));
        return analysis;
    }
    let alone = runs.len() == 1 && analysis.other_runs.is_empty();
    let info = LogInfo {
        source: input.name(),
        format: format.as_str(),
        skipped_lines: alone.then_some(reading.skipped_lines),
        unread_items: Some(reading.unread_items).filter(|items| alone && *items > 0),
    };
    analysis.runs = runs.finish_encoded(info, encodes && analysis.reading.refusal.is_none());
    analysis
}

/// Reads a log and dispatches its records.
pub(super) struct RunDispatcher<'r> {
    pub(super) options: &'r AnalyzeOptions,
    observer: &'r mut dyn StepObserver,
    /// The name of the run for records without one.
    unnamed: String,
    pub(super) runs: OpenRuns<'r>,
    /// The run of the previous record: most logs write run after run.
    last: Option<usize>,
    /// A run whose next record is the first after the log named the folder of its project.
    project: Option<(String, String)>,
    /// At least one record has content.
    pub(super) has_content: bool,
    /// The first error of the spill files.
    failed: io::Result<()>,
    pub(super) analysis: LogAnalysis,
}

impl RunDispatcher<'_> {
    /// Returns the name of the run of a record.
    pub(super) fn name_of<'a>(&'a self, record: &'a LogRecord<'_>) -> Cow<'a, str> {
        record.run().unwrap_or(Cow::Borrowed(&self.unnamed))
    }

    /// Returns the run of a record, if it is selected.
    pub(super) fn run_of(&mut self, record: &LogRecord<'_>) -> Option<usize> {
        let named = record.run();
        let name = named.as_deref().unwrap_or(&self.unnamed);
        if let Some(last) = self.last.filter(|last| self.runs.name(*last) == name) {
            return Some(last);
        }
        if self.options.only_run.as_deref().is_some_and(|only| only != name) {
            let others = &mut self.analysis.other_runs;
            if others.len() < OTHER_RUNS && !others.contains(name) {
                others.insert(name.to_owned());
            }
            return None;
        }
        let index = self.runs.find_or_start(name);
        self.last = Some(index);
        Some(index)
    }

    /// Adds a note about a turn that does not follow the previous one.
    pub(super) fn renumbered(&mut self, line: u64, named: u64, counted: u64) {
        self.note(line, || format!("turn {named} is not after the turn before it; counted as {counted}"));
    }

    fn note(&mut self, line: u64, text: impl FnOnce() -> String) {
        self.analysis.reading.note(self.options.notes_per_log, line, text);
    }

    fn observe(&mut self, index: usize, record: &LogRecord<'_>) -> io::Result<()> {
        let step = &record.step;
        let run = self.runs.active_run(index)?;
        if let Some((_, folder)) = self.project.take_if(|(name, _)| name == run.run()) {
            run.set_project(&folder);
        }
        let verdict = run.observe_at(step, Some(record.line));
        self.observer.observe(run.run(), step, &verdict);
        self.analysis.attempts.extend(ReportedAttempt::from_step(run.run(), step));
        if verdict.renumbered {
            self.renumbered(record.line, step.turn.unwrap_or(0), verdict.turn);
        }
        Ok(())
    }
}

impl RecordSink for RunDispatcher<'_> {
    fn record(&mut self, record: &LogRecord<'_>) {
        self.has_content |= record.step.has_facet();
        let Some(index) = self.run_of(record) else { return };
        if self.failed.is_ok() {
            self.failed = self.observe(index, record);
        }
    }

    fn project(&mut self, run: Option<&str>, folder: &str) {
        let name = run.unwrap_or(&self.unnamed).to_owned();
        self.project = Some((name, folder.to_owned()));
    }

    fn unread_item(&mut self, item: &UnreadItem<'_>) {
        self.analysis.reading.add_unread_item(self.options.notes_per_log, item);
    }

    fn skipped(&mut self, skipped: SkippedLine) {
        self.analysis.reading.skipped_lines += 1;
        self.note(skipped.line, || format!("{}; line skipped", skipped.reason));
    }
}
