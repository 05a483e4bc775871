//! The runs of logs that were read to their ends. Those that are put spilled stay there, and come out one by one when a report
//! tells of them: as often as it needs.

use std::cell::RefCell;
use std::io;

use crate::recording::RunRecording;
use crate::{CorruptRecord, RunRecord, RunReport, WordTable};
use loopbreak::{Config, RunSummary};

use super::run_names::RunNames;
use super::spill_file::{SpillFile, SpillSlot};

/// The runs of one log, in the order of their first steps.
#[derive(Debug, Default)]
pub struct FinishedRuns {
    all: Vec<FinishedRun>,
    names: RunNames,
    spilled: Option<SpilledRecords>,
    info: LogInfo,
}

/// What a report tells of the log of a run.
#[derive(Debug, Default)]
pub(super) struct LogInfo {
    pub(super) source: String,
    pub(super) format: &'static str,
    /// Lines that could not be read, where the log has a single run.
    pub(super) skipped: Option<u64>,
}

/// The file with those that are put spilled, and what is needed to read it.
#[derive(Debug)]
pub(super) struct SpilledRecords {
    pub(super) records: SpillFile,
    pub(super) words: WordTable,
    pub(super) config: Config,
}

#[derive(Debug)]
pub(super) enum FinishedRun {
    InMemory(Box<RunInMemory>),
    Spilled(SpillSlot),
}

/// A run that is not put spilled.
#[derive(Debug)]
pub(super) struct RunInMemory {
    report: RunReport,
    /// What a series is told of it, where it is in one.
    summary: Option<RunSummary>,
    /// What a page shows of it, until that is taken out.
    recording: RefCell<Option<Box<RunRecording>>>,
}

impl LogInfo {
    /// What a run comes to. A series is told of those that have a prompt.
    pub(super) fn finish(&self, mut record: RunRecord) -> RunInMemory {
        let recording = RefCell::new(record.take_recording());
        let summary = Some(record.summary()).filter(|summary| summary.prompt().is_some()).cloned();
        let mut report = record.finish(self.source.as_str(), self.format);
        report.skipped_lines = self.skipped;
        RunInMemory { report, summary, recording }
    }
}

impl FinishedRuns {
    /// Each run has the name of its number.
    pub(super) fn new(
        all: Vec<FinishedRun>,
        mut names: RunNames,
        spilled: Option<SpilledRecords>,
        info: LogInfo,
    ) -> Self {
        names.freeze();
        FinishedRuns { all, names, spilled, info }
    }

    /// Returns the number of runs.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns whether there are no runs.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The names of all.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        (0..self.all.len()).map(|number| self.names.name(number))
    }

    /// Shows each of them, and what a series is told of it.
    pub fn for_each(
        &self,
        mut see: impl FnMut(Option<&RunSummary>, &RunReport) -> io::Result<()>,
    ) -> io::Result<()> {
        for run in &self.all {
            match run {
                FinishedRun::InMemory(run) => see(run.summary.as_ref(), &run.report)?,
                FinishedRun::Spilled(slot) => {
                    let run = self.read_run(*slot)?;
                    see(run.summary.as_ref(), &run.report)?;
                }
            }
        }
        Ok(())
    }

    /// All of them at once.
    pub fn into_reports(mut self) -> io::Result<Vec<RunReport>> {
        let all = std::mem::take(&mut self.all);
        let report = |run| match run {
            FinishedRun::InMemory(run) => Ok(run.report),
            FinishedRun::Spilled(slot) => self.read_run(slot).map(|run| run.report),
        };
        all.into_iter().map(report).collect()
    }

    fn read_run(&self, slot: SpillSlot) -> io::Result<RunInMemory> {
        Ok(self.info.finish(self.read_record(slot, RunRecord::unpack_unrecorded)?))
    }

    fn read_record(
        &self,
        slot: SpillSlot,
        unpack: fn(&Config, &[u8], &WordTable) -> Result<RunRecord, CorruptRecord>,
    ) -> io::Result<RunRecord> {
        let spilled = self.spilled.as_ref().ok_or_else(|| io::Error::other("nothing was put spilled"))?;
        let unpack =
            |bytes: Vec<u8>| unpack(&spilled.config, &bytes, &spilled.words).map_err(io::Error::other);
        let failed = |error| io::Error::other(format!("a run that was put spilled cannot be read: {error}"));
        spilled.records.read(slot).and_then(unpack).map_err(failed)
    }

    /// Takes out what a page shows of a run.
    pub(super) fn take_recording(&self, number: usize) -> io::Result<Option<Box<RunRecording>>> {
        match self.all.get(number) {
            Some(FinishedRun::InMemory(run)) => Ok(run.recording.take()),
            Some(FinishedRun::Spilled(slot)) => {
                Ok(self.read_record(*slot, RunRecord::unpack)?.take_recording())
            }
            None => Ok(None),
        }
    }
}
