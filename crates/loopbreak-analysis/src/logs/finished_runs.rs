//! The runs of logs that were read to their ends. Those that are put away stay there, and come out one by one when a report
//! tells of them: as often as it needs.

use std::cell::RefCell;
use std::io;

use crate::recording::Recording;
use crate::{Damaged, RunRecord, RunReport, Words};
use loopbreak::{Config, RunSummary};

use super::run_names::Names;
use super::spill_file::{Place, Spill};

/// The runs of one log, in the order of their first steps.
#[derive(Debug, Default)]
pub struct FinishedRuns {
    all: Vec<Finished>,
    names: Names,
    away: Option<Away>,
    about: LogInfo,
}

/// What a report tells of the log of a run.
#[derive(Debug, Default)]
pub(super) struct LogInfo {
    pub(super) source: String,
    pub(super) format: &'static str,
    /// Lines that could not be read, where the log has a single run.
    pub(super) skipped: Option<u64>,
}

/// The file with those that are put away, and what is needed to read it.
#[derive(Debug)]
pub(super) struct Away {
    pub(super) records: Spill,
    pub(super) words: Words,
    pub(super) config: Config,
}

#[derive(Debug)]
pub(super) enum Finished {
    Here(Box<Here>),
    Away(Place),
}

/// A run that is not put away.
#[derive(Debug)]
pub(super) struct Here {
    report: RunReport,
    /// What a series is told of it, where it is in one.
    summary: Option<RunSummary>,
    /// What a page shows of it, until that is taken out.
    recording: RefCell<Option<Box<Recording>>>,
}

impl LogInfo {
    /// What a run comes to. A series is told of those that have a prompt.
    pub(super) fn finish(&self, mut record: RunRecord) -> Here {
        let recording = RefCell::new(record.take_recording());
        let summary = Some(record.summary()).filter(|summary| summary.prompt().is_some()).cloned();
        let mut report = record.finish(self.source.as_str(), self.format);
        report.skipped_lines = self.skipped;
        Here { report, summary, recording }
    }
}

impl FinishedRuns {
    /// Each run has the name of its number.
    pub(super) fn new(all: Vec<Finished>, mut names: Names, away: Option<Away>, about: LogInfo) -> Self {
        names.close();
        FinishedRuns { all, names, away, about }
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
    pub fn each(
        &self,
        mut see: impl FnMut(Option<&RunSummary>, &RunReport) -> io::Result<()>,
    ) -> io::Result<()> {
        for run in &self.all {
            match run {
                Finished::Here(run) => see(run.summary.as_ref(), &run.report)?,
                Finished::Away(place) => {
                    let run = self.fetch(*place)?;
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
            Finished::Here(run) => Ok(run.report),
            Finished::Away(place) => self.fetch(place).map(|run| run.report),
        };
        all.into_iter().map(report).collect()
    }

    fn fetch(&self, place: Place) -> io::Result<Here> {
        Ok(self.about.finish(self.record(place, RunRecord::unpack_unrecorded)?))
    }

    fn record(
        &self,
        place: Place,
        unpack: fn(&Config, &[u8], &Words) -> Result<RunRecord, Damaged>,
    ) -> io::Result<RunRecord> {
        let away = self.away.as_ref().ok_or_else(|| io::Error::other("nothing was put away"))?;
        let unpack = |bytes: Vec<u8>| unpack(&away.config, &bytes, &away.words).map_err(io::Error::other);
        let failed = |error| io::Error::other(format!("a run that was put away cannot be read: {error}"));
        away.records.read(place).and_then(unpack).map_err(failed)
    }

    /// Takes out what a page shows of a run.
    pub(super) fn take_recording(&self, number: usize) -> io::Result<Option<Box<Recording>>> {
        match self.all.get(number) {
            Some(Finished::Here(run)) => Ok(run.recording.take()),
            Some(Finished::Away(place)) => Ok(self.record(*place, RunRecord::unpack)?.take_recording()),
            None => Ok(None),
        }
    }
}
