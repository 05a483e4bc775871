//! The record of a run that is stored without its guard.

use loopbreak::{Config, Guard, RunSummary, Snapshot, SnapshotError, Step, Verdict};

use super::run_analysis::RunAnalysis;
use super::run_statistics::RunStatistics;
use crate::pack::{CorruptRecord, PackedRecord as _, RecordPacker, RecordUnpacker, WordTable};
use crate::recording::RunRecording;
use crate::report::RunReport;

/// The statistics of a run, without its guard, which takes far more memory: all that a report needs.
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
        Ok(RunAnalysis::of(Guard::restore(config.clone(), snapshot)?, self))
    }

    pub(super) fn add(&mut self, step: &Step<'_>, verdict: &Verdict, line: Option<u64>) {
        self.summary.observe(step);
        self.seen.add(step, verdict, line);
        if let Some(recording) = &mut self.recording {
            recording.add(step, verdict);
        }
    }

    /// The record as bytes, for who keeps many. [`RunRecord::unpack`] needs the same words.
    pub fn pack(&self, words: &mut WordTable) -> Vec<u8> {
        let mut to = RecordPacker::new(words);
        // A state of texts and numbers can always be written.
        to.piece(&serde_json::to_vec(self.summary.state()).unwrap_or_default());
        self.seen.pack(&mut to);
        if let Some(recording) = &self.recording {
            recording.pack(&mut to);
        }
        to.bytes
    }

    /// The record of these bytes. The settings are to be those it was begun with.
    pub fn unpack(config: &Config, bytes: &[u8], words: &WordTable) -> Result<Self, CorruptRecord> {
        let mut from = RecordUnpacker::new(bytes, words);
        let mut record = Self::unpack_seen(config, &mut from).ok_or(CorruptRecord)?;
        if !from.is_empty() {
            let recording = RunRecording::unpack(&mut from).filter(|_| from.is_empty());
            record.recording = Some(Box::new(recording.ok_or(CorruptRecord)?));
        }
        Ok(record)
    }

    /// The same without the recording, which is the most of it, for who wants to sum up.
    pub fn unpack_unrecorded(
        config: &Config,
        bytes: &[u8],
        words: &WordTable,
    ) -> Result<Self, CorruptRecord> {
        Self::unpack_seen(config, &mut RecordUnpacker::new(bytes, words)).ok_or(CorruptRecord)
    }

    fn unpack_seen(config: &Config, from: &mut RecordUnpacker<'_>) -> Option<Self> {
        let state = serde_json::from_slice(from.piece()?).ok()?;
        let seen = RunStatistics::unpack(from)?;
        Some(RunRecord { summary: RunSummary::restore(config, state), seen, recording: None })
    }

    /// Takes the recording, if there is one.
    pub fn take_recording(&mut self) -> Option<Box<RunRecording>> {
        self.recording.take()
    }

    /// Ends the run and returns its result.
    pub fn finish(self, source: impl Into<String>, format: &'static str) -> RunReport {
        self.seen.finish(self.summary.run().to_owned(), source.into(), format)
    }
}
