//! One log: its records, run by run, through the analysis.

use std::borrow::Cow;
use std::io::{self, Write};

use loopbreak::{Config, Step, Verdict};
use loopbreak_report::TaskAttempt;
use loopbreak_trace::{
    LogFormat, LogInput, LogRecord, OpenError, OpenedLog, ReadStats, RecordSink, SkippedLine,
};

use super::finished::{About, FinishedRuns};
use super::rounds;
use super::runs::Runs;

/// What a log came to.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) runs: FinishedRuns,
    pub(crate) attempts: Vec<TaskAttempt>,
    pub(crate) bytes: u64,
    pub(crate) skipped: u64,
    /// What there is to say about lines, the first few or all.
    pub(crate) notes: Vec<Note>,
    /// How much more there would be.
    pub(crate) unsaid: u64,
    /// Why it was not read, or not to its end.
    pub(crate) refusal: Option<OpenError>,
    /// Ids of runs that were not asked for, a few.
    pub(crate) others: Vec<String>,
    /// The first run, step by step, where that was asked for.
    pub(crate) explained: Option<String>,
}

/// Something about a line.
#[derive(Debug)]
pub(crate) struct Note {
    pub(crate) line: u64,
    pub(crate) text: String,
}

/// How logs are to be looked at.
#[derive(Clone, Copy)]
pub(crate) struct Manner<'m> {
    pub(crate) config: &'m Config,
    /// Only the run of this id.
    pub(crate) only: Option<&'m str>,
    /// Read as this format, whatever the content says.
    pub(crate) format: Option<LogFormat>,
    /// How many notes about lines are kept of each log.
    pub(crate) notes: usize,
    /// Record the steps, for a page.
    pub(crate) recorded: bool,
}

/// Where events go.
pub(crate) struct Events<'e> {
    out: &'e mut (dyn Write + Send),
    /// The first thing that went wrong. Nothing is written after that.
    failed: io::Result<()>,
}

impl<'e> Events<'e> {
    pub(crate) fn new(out: &'e mut (dyn Write + Send)) -> Self {
        Events { out, failed: Ok(()) }
    }

    /// What the writing came to.
    pub(crate) fn finish(self) -> io::Result<()> {
        self.failed.and_then(|()| self.out.flush())
    }

    fn write(&mut self, events: &[loopbreak::Event]) {
        for event in events {
            if self.failed.is_ok() {
                self.failed = serde_json::to_writer(&mut self.out, event)
                    .map_err(io::Error::from)
                    .and_then(|()| self.out.write_all(b"\n"));
            }
        }
    }
}

/// How many ids of other runs are kept, to be offered to who asked for one that is not there.
const OTHERS: usize = 6;

/// Reads a log and analyses its runs.
pub(crate) fn analyze(
    input: &LogInput,
    manner: Manner<'_>,
    events: Option<&mut Events<'_>>,
    watch: impl Fn(u64) + Clone + Send + 'static,
) -> Outcome {
    analyze_with(input, manner, events, &mut |_, _, _| {}, watch)
}

/// The same on all threads, where the format allows it.
pub(crate) fn analyze_on_all_threads(
    input: &LogInput,
    manner: Manner<'_>,
    watch: impl Fn(u64) + Clone + Send + 'static,
) -> Outcome {
    read_with(input, manner, None, &mut |_, _, _| {}, watch, |log, reading| match log.into_blocks() {
        Ok(blocks) => rounds::read(blocks, reading),
        Err(log) => log.read(reading),
    })
}

/// A log on one thread, with every step shown to someone else too: the name of its run, the step, what the guard said of it.
pub(crate) fn analyze_with(
    input: &LogInput,
    manner: Manner<'_>,
    events: Option<&mut Events<'_>>,
    also: Also<'_>,
    watch: impl Fn(u64) + Clone + Send + 'static,
) -> Outcome {
    read_with(input, manner, events, also, watch, |log, reading| log.read(reading))
}

type Also<'a> = &'a mut (dyn FnMut(&str, &Step<'_>, &Verdict) + Send);

fn read_with<'r, 'e>(
    input: &LogInput,
    manner: Manner<'r>,
    events: Option<&'r mut Events<'e>>,
    also: Also<'r>,
    watch: impl Fn(u64) + Clone + Send + 'static,
    read: impl FnOnce(OpenedLog, &mut Reading<'r, 'e>) -> io::Result<ReadStats>,
) -> Outcome {
    let log = match input.open(manner.format, watch) {
        Ok(log) => log,
        Err(refusal) => return Outcome { refusal: Some(refusal), ..Outcome::default() },
    };
    let format = log.format();
    let mut reading = Reading {
        manner,
        events,
        also,
        unnamed: input.run(),
        runs: Runs::new(manner.config, manner.recorded),
        last: None,
        says_something: false,
        failed: Ok(()),
        outcome: Outcome::default(),
    };
    let read = read(log, &mut reading);
    let Reading { runs, says_something, failed, mut outcome, .. } = reading;
    match failed.and(read) {
        Ok(read) => outcome.bytes = read.bytes,
        Err(error) => outcome.refusal = Some(OpenError::Unreadable(error)),
    }
    if outcome.refusal.is_none() && !says_something {
        outcome.refusal = Some(manner.format.map_or(OpenError::Unknown, OpenError::WrongFormat));
        return outcome;
    }
    let alone = runs.len() == 1 && outcome.others.is_empty();
    let skipped = alone.then_some(outcome.skipped);
    outcome.runs = runs.finish(About { source: input.name(), format: format.as_str(), skipped });
    outcome
}

/// A log while it is read.
pub(super) struct Reading<'r, 'e> {
    pub(super) manner: Manner<'r>,
    events: Option<&'r mut Events<'e>>,
    also: Also<'r>,
    /// The name of the run of records that name none.
    unnamed: String,
    pub(super) runs: Runs<'r>,
    /// The run of the record before: most logs write run after run.
    last: Option<(String, usize)>,
    /// At least one record tells anything.
    pub(super) says_something: bool,
    /// Whether runs could be put away and taken out.
    failed: io::Result<()>,
    pub(super) outcome: Outcome,
}

impl Reading<'_, '_> {
    /// The name of the run of a record.
    pub(super) fn name_of<'a>(&'a self, record: &'a LogRecord<'_>) -> Cow<'a, str> {
        record.run().unwrap_or(Cow::Borrowed(&self.unnamed))
    }

    /// The run of a record, if it was asked for.
    pub(super) fn run_of(&mut self, record: &LogRecord<'_>) -> Option<usize> {
        let named = record.run();
        let name = named.as_deref().unwrap_or(&self.unnamed);
        if let Some((last, index)) = &self.last
            && last == name
        {
            return Some(*index);
        }
        if self.manner.only.is_some_and(|only| only != name) {
            let others = &mut self.outcome.others;
            if others.len() < OTHERS && !others.iter().any(|other| other == name) {
                others.push(name.to_owned());
            }
            return None;
        }
        let index = self.runs.index(name);
        self.last = Some((name.to_owned(), index));
        Some(index)
    }

    /// Notes a turn that is not after the one before.
    pub(super) fn renumbered(&mut self, line: u64, named: u64, counted: u64) {
        self.note(line, || format!("turn {named} is not after the turn before it; counted as {counted}"));
    }

    fn note(&mut self, line: u64, text: impl FnOnce() -> String) {
        if self.outcome.notes.len() < self.manner.notes {
            self.outcome.notes.push(Note { line, text: text() });
        } else {
            self.outcome.unsaid += 1;
        }
    }

    fn observe(&mut self, index: usize, record: &LogRecord<'_>) -> io::Result<()> {
        let step = &record.step;
        let run = self.runs.at(index)?;
        let verdict = run.observe_at(step, Some(record.line));
        (self.also)(run.run(), step, &verdict);
        self.outcome.attempts.extend(TaskAttempt::of(run.run(), step));
        if let Some(events) = &mut self.events {
            events.write(&verdict.events);
        }
        if verdict.renumbered {
            self.renumbered(record.line, step.turn.unwrap_or(0), verdict.turn);
        }
        Ok(())
    }
}

impl RecordSink for Reading<'_, '_> {
    fn record(&mut self, record: &LogRecord<'_>) {
        self.says_something |= record.step.has_facet();
        let Some(index) = self.run_of(record) else { return };
        if self.failed.is_ok() {
            self.failed = self.observe(index, record);
        }
    }

    fn skipped(&mut self, skipped: SkippedLine) {
        self.outcome.skipped += 1;
        self.note(skipped.line, || format!("{}; line skipped", skipped.reason));
    }
}
