//! The runs of logs that were read to their ends. Those that are put away stay there, and come out one by one when a report
//! tells of them: as often as it needs.

use std::io;

use loopbreak::{Config, RunSummary};
use loopbreak_report::{RunList, RunRecord, RunReport, Words};

use super::names::Names;
use super::spill::{Place, Spill};

/// The runs of one log, in the order of their first steps.
#[derive(Debug, Default)]
pub(crate) struct FinishedRuns {
    all: Vec<Finished>,
    names: Names,
    away: Option<Away>,
    about: About,
}

/// What a report tells of the log of a run.
#[derive(Debug, Default)]
pub(super) struct About {
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
    /// With what a series is told of it, where it is in one.
    Here(Box<(Option<RunSummary>, RunReport)>),
    Away(Place),
    /// It was lost when the reading broke off.
    Lost,
}

impl About {
    /// What a run comes to. A series is told of those that have a prompt.
    pub(super) fn finish(&self, record: RunRecord) -> (Option<RunSummary>, RunReport) {
        let summary = Some(record.summary()).filter(|summary| summary.prompt().is_some()).cloned();
        let mut report = record.finish(self.source.as_str(), self.format);
        report.skipped_lines = self.skipped;
        (summary, report)
    }
}

impl FinishedRuns {
    pub(super) fn new(all: Vec<Finished>, mut names: Names, away: Option<Away>, about: About) -> Self {
        names.close();
        FinishedRuns { all, names, away, about }
    }

    pub(crate) fn len(&self) -> usize {
        self.all.iter().filter(|run| !matches!(run, Finished::Lost)).count()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The names of all.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let numbers = self.all.iter().enumerate().filter(|(_, run)| !matches!(run, Finished::Lost));
        numbers.map(|(number, _)| self.names.name(number))
    }

    /// Shows each of them, and what a series is told of it.
    pub(crate) fn each(
        &self,
        mut see: impl FnMut(Option<&RunSummary>, &RunReport) -> io::Result<()>,
    ) -> io::Result<()> {
        for run in &self.all {
            match run {
                Finished::Here(run) => see(run.0.as_ref(), &run.1)?,
                Finished::Away(place) => {
                    let (summary, report) = self.fetch(*place)?;
                    see(summary.as_ref(), &report)?;
                }
                Finished::Lost => {}
            }
        }
        Ok(())
    }

    /// All of them at once.
    pub(crate) fn into_reports(mut self) -> io::Result<Vec<RunReport>> {
        let all = std::mem::take(&mut self.all);
        let report = |run| match run {
            Finished::Here(run) => Some(Ok(run.1)),
            Finished::Away(place) => Some(self.fetch(place).map(|(_, report)| report)),
            Finished::Lost => None,
        };
        all.into_iter().filter_map(report).collect()
    }

    fn fetch(&self, place: Place) -> io::Result<(Option<RunSummary>, RunReport)> {
        let away = self.away.as_ref().ok_or_else(|| io::Error::other("nothing was put away"))?;
        let record = away
            .records
            .read(place)
            .and_then(|bytes| RunRecord::unpack(&away.config, &bytes, &away.words).map_err(io::Error::other));
        let failed = |error| io::Error::other(format!("a run that was put away cannot be read: {error}"));
        Ok(self.about.finish(record.map_err(failed)?))
    }
}

/// The runs of all logs, in the order of reading.
#[derive(Debug)]
pub(super) struct AllRuns(pub(super) Vec<FinishedRuns>);

impl RunList for AllRuns {
    fn len(&self) -> usize {
        self.0.iter().map(FinishedRuns::len).sum()
    }

    fn each(&self, see: &mut dyn FnMut(&RunReport) -> io::Result<()>) -> io::Result<()> {
        self.0.iter().try_for_each(|runs| runs.each(|_, run| see(run)))
    }
}
