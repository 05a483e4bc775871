//! What is left of a run that is put away.

use loopbreak::{Config, Guard, RunSummary, Snapshot, SnapshotError, Step, Verdict};

use super::analysis::RunAnalysis;
use super::seen::Seen;
use crate::json::RunReport;
use crate::pack::{Damaged, Packed as _, Packer, Unpacker, Words};

/// What was seen of a run so far, without its guard, which takes up far more room: all that a report needs. A run that
/// is put away goes on with [`RunRecord::resume`].
#[derive(Debug)]
pub struct RunRecord {
    summary: RunSummary,
    seen: Seen,
}

impl RunRecord {
    pub(super) fn new(config: &Config, run: String) -> Self {
        RunRecord { summary: RunSummary::new(config, run), seen: Seen::new(config) }
    }

    /// The name of the run.
    pub fn run(&self) -> &str {
        self.summary.run()
    }

    /// What a series is told of the run.
    pub fn summary(&self) -> &RunSummary {
        &self.summary
    }

    /// Goes on with a run that was put away.
    pub fn resume(self, config: &Config, snapshot: Snapshot) -> Result<RunAnalysis, SnapshotError> {
        Ok(RunAnalysis::of(Guard::restore(config.clone(), snapshot)?, self))
    }

    pub(super) fn add(&mut self, step: &Step<'_>, verdict: &Verdict, line: Option<u64>) {
        self.summary.observe(step);
        self.seen.add(step, verdict, line);
    }

    /// The record as bytes, for who keeps many. [`RunRecord::unpack`] needs the same words.
    pub fn pack(&self, words: &mut Words) -> Vec<u8> {
        let mut to = Packer::new(words);
        // A state of texts and numbers can always be written.
        to.piece(&serde_json::to_vec(self.summary.state()).unwrap_or_default());
        self.seen.pack(&mut to);
        to.bytes
    }

    /// The record of these bytes. The settings are to be those it was begun with.
    pub fn unpack(config: &Config, bytes: &[u8], words: &Words) -> Result<Self, Damaged> {
        let mut from = Unpacker::new(bytes, words);
        let state = from.piece().and_then(|state| serde_json::from_slice(state).ok()).ok_or(Damaged)?;
        let seen = Seen::unpack(&mut from).filter(|_| from.is_empty()).ok_or(Damaged)?;
        Ok(RunRecord { summary: RunSummary::restore(config, state), seen })
    }

    /// Sums up.
    pub fn finish(self, source: impl Into<String>, format: &'static str) -> RunReport {
        self.seen.finish(self.summary.run().to_owned(), source.into(), format)
    }
}
