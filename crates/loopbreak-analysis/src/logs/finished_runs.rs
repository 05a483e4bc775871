//! The runs of logs that were read to their end. Those in the spill file stay there and are read one by one, as often
//! as a report needs them.

use std::cell::RefCell;
use std::io;

use crate::recording::RunRecording;
use crate::{CorruptRecord, RunAnalysis, RunRecord, RunReport, VerdictName};
use loopbreak::{Config, series::RunSummary};

use super::encoded_runs::EncodedRuns;
use super::run_names::RunNames;
use super::spill_file::{SpillFile, SpillSlot};

/// The runs of one log, in the order of their first steps.
#[derive(Debug, Default)]
pub struct FinishedRuns {
    all: Vec<FinishedRun>,
    names: RunNames,
    spilled: Option<SpilledRecords>,
    info: LogInfo,
    /// The runs for the cache, until they are taken.
    encoded: Option<EncodedRuns>,
}

/// Facts about the log of a run, for its report.
#[derive(Debug, Default)]
pub(super) struct LogInfo {
    pub(super) source: String,
    pub(super) format: &'static str,
    /// Lines that could not be read, if the log has a single run.
    pub(super) skipped_lines: Option<u64>,
    /// Items that could not be read, if there are any and the log has a single run.
    pub(super) unread_items: Option<u64>,
}

/// The spill file with records, and what is needed to decode them.
#[derive(Debug)]
pub(super) struct SpilledRecords {
    pub(super) records: SpillFile,
    pub(super) config: Config,
}

#[derive(Debug)]
pub(super) enum FinishedRun {
    InMemory(Box<RunInMemory>),
    Spilled(SpillSlot),
    /// A run of few steps, stored as its steps.
    SpilledSteps(SpillSlot),
}

/// A run in memory.
#[derive(Debug)]
pub(super) struct RunInMemory {
    report: RunReport,
    /// The summary for a series, if the run has a prompt.
    summary: Option<RunSummary>,
    /// The recording for a page, until it is taken.
    recording: RefCell<Option<Box<RunRecording>>>,
}

impl LogInfo {
    /// Finishes a run. Only runs with a prompt keep their summary.
    pub(super) fn finish(&self, mut record: RunRecord) -> RunInMemory {
        let recording = RefCell::new(record.take_recording());
        let summary = Some(record.summary()).filter(|summary| summary.prompt().is_some()).cloned();
        let mut report = record.finish(self.source.as_str(), self.format);
        report.skipped_lines = self.skipped_lines;
        report.unread_items = self.unread_items;
        // What was not read may be the loop.
        if self.unread_items.is_some() {
            report.verdict = report.verdict.max(VerdictName::Warn);
        }
        RunInMemory { report, summary, recording }
    }
}

impl FinishedRuns {
    /// Creates the list. Each run has the name of its number.
    pub(super) fn new(
        all: Vec<FinishedRun>,
        mut names: RunNames,
        spilled: Option<SpilledRecords>,
        info: LogInfo,
    ) -> Self {
        names.freeze();
        FinishedRuns { all, names, spilled, info, encoded: None }
    }

    /// Adds the runs in the form in which the cache stores them.
    pub(super) fn with_encoded(self, encoded: Option<EncodedRuns>) -> Self {
        FinishedRuns { encoded, ..self }
    }

    /// Takes the runs in the form in which the cache stores them.
    pub(super) fn take_encoded(&mut self) -> Option<EncodedRuns> {
        self.encoded.take()
    }

    /// Returns the name of the log format.
    pub(super) fn format(&self) -> &'static str {
        self.info.format
    }

    /// Returns the number of runs.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns whether there are no runs.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the names of all runs.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        (0..self.all.len()).map(|number| self.names.name(number))
    }

    /// Calls `see` with the report of each run, and its summary for a series.
    pub fn for_each(
        &self,
        mut see: impl FnMut(Option<&RunSummary>, &RunReport) -> io::Result<()>,
    ) -> io::Result<()> {
        for (number, run) in self.all.iter().enumerate() {
            match run {
                FinishedRun::InMemory(run) => see(run.summary.as_ref(), &run.report)?,
                FinishedRun::Spilled(slot) => {
                    let run = self.read_run(*slot)?;
                    see(run.summary.as_ref(), &run.report)?;
                }
                FinishedRun::SpilledSteps(slot) => {
                    let run = self.info.finish(self.replay(number, *slot, false)?);
                    see(run.summary.as_ref(), &run.report)?;
                }
            }
        }
        Ok(())
    }

    /// Returns all reports.
    pub fn into_reports(mut self) -> io::Result<Vec<RunReport>> {
        let all = std::mem::take(&mut self.all);
        let report = |(number, run)| match run {
            FinishedRun::InMemory(run) => Ok(run.report),
            FinishedRun::Spilled(slot) => self.read_run(slot).map(|run| run.report),
            FinishedRun::SpilledSteps(slot) => {
                self.replay(number, slot, false).map(|record| self.info.finish(record).report)
            }
        };
        all.into_iter().enumerate().map(report).collect()
    }

    fn read_run(&self, slot: SpillSlot) -> io::Result<RunInMemory> {
        Ok(self.info.finish(self.read_record(slot, RunRecord::from_bytes_without_recording)?))
    }

    fn read_record(
        &self,
        slot: SpillSlot,
        decode: fn(&Config, &[u8]) -> Result<RunRecord, CorruptRecord>,
    ) -> io::Result<RunRecord> {
        let spilled = self.spilled.as_ref().ok_or_else(|| io::Error::other("no run was stored"))?;
        let decode = |bytes: Vec<u8>| decode(&spilled.config, &bytes).map_err(io::Error::other);
        let failed = |error| io::Error::other(format!("a stored run cannot be read: {error}"));
        spilled.records.read(slot).and_then(decode).map_err(failed)
    }

    /// Shows the steps of a run to a new guard.
    fn replay(&self, number: usize, slot: SpillSlot, recorded: bool) -> io::Result<RunRecord> {
        let spilled = self.spilled.as_ref().ok_or_else(|| io::Error::other("no run was stored"))?;
        let name = self.names.name(number);
        let replay = |bytes: Vec<u8>| {
            RunAnalysis::replay(&spilled.config, name, recorded, &bytes).map_err(io::Error::other)
        };
        let failed = |error| io::Error::other(format!("a stored run cannot be read: {error}"));
        spilled.records.read(slot).and_then(replay).map(RunAnalysis::into_record).map_err(failed)
    }

    /// Takes the recording of a run.
    pub(super) fn take_recording(&self, number: usize) -> io::Result<Option<Box<RunRecording>>> {
        match self.all.get(number) {
            Some(FinishedRun::InMemory(run)) => Ok(run.recording.take()),
            Some(FinishedRun::Spilled(slot)) => {
                Ok(self.read_record(*slot, RunRecord::from_bytes)?.take_recording())
            }
            Some(FinishedRun::SpilledSteps(slot)) => Ok(self.replay(number, *slot, true)?.take_recording()),
            None => Ok(None),
        }
    }
}
