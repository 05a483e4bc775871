//! The record of a run that is stored without its guard.

use std::io;

use loopbreak::{Config, Guard, Snapshot, Step, Verdict, series::RunSummary, snapshot::SnapshotError};
use serde::de::DeserializeOwned;

use super::corrupt_record::CorruptRecord;
use super::replay_config::replay_config;
use super::run_analysis::RunAnalysis;
use super::run_statistics::RunStatistics;
use crate::prices::StepCost;
use crate::recording::RunRecording;
use crate::report::RunReport;

/// The statistics of a run that a report needs, without the guard, which takes far more memory.
/// [`RunRecord::resume`] continues the run.
#[derive(Debug)]
pub struct RunRecord {
    summary: RunSummary,
    seen: RunStatistics,
    /// The recording for a page, if asked for.
    recording: Option<Box<RunRecording>>,
}

impl RunRecord {
    pub(super) fn new(config: &Config, run: String, recorded: bool) -> Self {
        let recording = recorded.then(Box::default);
        RunRecord { summary: RunSummary::new(config, run), seen: RunStatistics::new(config), recording }
    }

    /// Returns the name of the run.
    pub fn run(&self) -> &str {
        self.summary.run()
    }

    /// Returns the summary of the run for a series.
    pub fn summary(&self) -> &RunSummary {
        &self.summary
    }

    /// Continues a stored run.
    pub fn resume(self, config: &Config, snapshot: Snapshot) -> Result<RunAnalysis, SnapshotError> {
        Ok(RunAnalysis::from_parts(config, Guard::restore(replay_config(config), snapshot)?, self))
    }

    /// Sets the folder of the project that the agent works in, if it is not known yet.
    pub(super) fn set_project(&mut self, project: &str) {
        self.seen.set_project(project);
    }

    pub(super) fn add(&mut self, step: &Step<'_>, verdict: &Verdict, cost: &StepCost, line: Option<u64>) {
        self.summary.observe(step);
        self.seen.add(step, verdict, cost, line);
        if let Some(recording) = &mut self.recording {
            recording.add(step, verdict, cost);
        }
    }

    /// Encodes the record, to be stored while other runs continue. [`RunRecord::from_bytes`] reads it back in the same
    /// program; the encoding has no version.
    pub fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let mut bytes = self.figures_to_bytes()?;
        if let Some(recording) = &self.recording {
            bytes = postcard::to_extend(recording, bytes).map_err(io::Error::other)?;
        }
        Ok(bytes)
    }

    /// Encodes the record without its recording.
    pub(crate) fn figures_to_bytes(&self) -> io::Result<Vec<u8>> {
        let summary = serde_json::to_vec(self.summary.state())?;
        postcard::to_allocvec(&(summary, &self.seen)).map_err(io::Error::other)
    }

    /// Encodes the recording, if there is one.
    pub(crate) fn recording_to_bytes(&self) -> io::Result<Option<Vec<u8>>> {
        let recording = self.recording.as_ref().map(postcard::to_allocvec);
        recording.transpose().map_err(io::Error::other)
    }

    /// Decodes a record from its two parts. The settings must be those that it was created with.
    pub(crate) fn from_parts_bytes(
        config: &Config,
        figures: &[u8],
        recording: Option<&[u8]>,
    ) -> Result<Self, CorruptRecord> {
        let mut record = Self::from_bytes(config, figures)?;
        if let Some(mut recording) = recording {
            record.recording = Some(Box::new(read(&mut recording)?));
            if !recording.is_empty() {
                return Err(CorruptRecord);
            }
        }
        Ok(record)
    }

    /// Drops what is needed to continue the run and not to report it.
    pub(crate) fn forget_unreported(&mut self) {
        self.seen.forget_unreported();
    }

    /// Returns the number of turns out of order.
    pub(crate) fn renumbered_turns(&self) -> u64 {
        self.seen.renumbered_turns()
    }

    /// Decodes a record. The settings must be those that it was created with.
    pub fn from_bytes(config: &Config, mut bytes: &[u8]) -> Result<Self, CorruptRecord> {
        let mut record = Self::read_statistics(config, &mut bytes)?;
        if !bytes.is_empty() {
            record.recording = Some(Box::new(read(&mut bytes)?));
        }
        if bytes.is_empty() { Ok(record) } else { Err(CorruptRecord) }
    }

    /// Decodes a record without its recording, which is most of it.
    pub fn from_bytes_without_recording(config: &Config, mut bytes: &[u8]) -> Result<Self, CorruptRecord> {
        Self::read_statistics(config, &mut bytes)
    }

    fn read_statistics(config: &Config, bytes: &mut &[u8]) -> Result<Self, CorruptRecord> {
        let (summary, seen): (Vec<u8>, RunStatistics) = read(bytes)?;
        let summary = serde_json::from_slice(&summary).map_err(|_| CorruptRecord)?;
        Ok(RunRecord { summary: RunSummary::restore(config, summary), seen, recording: None })
    }

    /// Takes the recording, if there is one.
    pub fn take_recording(&mut self) -> Option<Box<RunRecording>> {
        self.recording.take()
    }

    /// Ends the run and returns its result.
    pub fn finish(self, source: impl Into<String>, format: &'static str) -> RunReport {
        let prompt = self.summary.prompt().map(str::to_owned);
        let mut report = self.seen.finish(self.summary.run().to_owned(), source.into(), format);
        report.about.prompt = prompt;
        report
    }
}

/// Reads the next value and removes it from the bytes.
fn read<T: DeserializeOwned>(bytes: &mut &[u8]) -> Result<T, CorruptRecord> {
    let (value, rest) = postcard::take_from_bytes(bytes).map_err(|_| CorruptRecord)?;
    *bytes = rest;
    Ok(value)
}
