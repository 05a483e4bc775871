//! Encodes the analysis of a log for the cache, and decodes it.

use loopbreak::Step;
use loopbreak::step::StepText;
use loopbreak::text::mask_secrets;
use loopbreak_trace::{LogFormat, LogInput};
use serde::{Deserialize, Serialize};

use super::encoded_runs::{EncodedPieces, EncodedRuns};
use super::finished_runs::{FinishedRun, FinishedRuns, LogInfo, SpilledRecords};
use super::log_analysis::{LineNote, LogAnalysis, LogReadSummary};
use super::log_analyzer::AnalyzeOptions;
use super::open_runs::{MAX_GUARDS, RECORD_BYTES};
use super::run_dispatcher::OTHER_RUNS;
use super::run_names::RunNames;
use super::spill_file::SpillFile;
use crate::RunRecord;
use crate::cache::CachePart;
use crate::series::ReportedAttempt;

/// The analysis of a log without its runs, which follow as bytes.
#[derive(Debug, Serialize, Deserialize)]
struct StoredLog {
    format: String,
    bytes: u64,
    skipped_lines: u64,
    unread_items: u64,
    notes: Vec<(u64, String)>,
    unlisted_notes: u64,
    /// The run of each attempt, and its step as JSON.
    attempts: Vec<(String, String)>,
    /// The length of each run in bytes.
    lengths: Vec<u32>,
}

/// Encodes an analysis. Returns `None` if it must not be stored, or cannot be.
pub(super) fn encode(log: &LogAnalysis, runs: EncodedRuns) -> Option<Vec<(CachePart, Vec<u8>)>> {
    let LogReadSummary { bytes, skipped_lines, unread_items, notes, unlisted_notes, refusal } = &log.reading;
    let is_whole = refusal.is_none() && runs.figures.lengths.len() == log.runs.len();
    // The other texts are masked, or the report shows them as they are.
    let notes_are_public = notes.iter().all(|note| is_public(&note.text));
    if !is_whole || !notes_are_public || !log.attempts.iter().all(attempt_is_public) {
        return None;
    }
    let attempt = |attempt: &ReportedAttempt| {
        Some((attempt.run().to_owned(), serde_json::to_string(attempt.step()).ok()?))
    };
    let stored = StoredLog {
        format: log.runs.format().to_owned(),
        bytes: *bytes,
        skipped_lines: *skipped_lines,
        unread_items: *unread_items,
        notes: notes.iter().map(|note| (note.line, note.text.clone())).collect(),
        unlisted_notes: *unlisted_notes,
        attempts: log.attempts.iter().map(attempt).collect::<Option<_>>()?,
        lengths: runs.figures.lengths,
    };
    let mut figures = postcard::to_allocvec(&stored).ok()?;
    figures.extend_from_slice(&runs.figures.bytes);
    let mut parts = vec![(CachePart::Runs, figures)];
    if runs.recordings.lengths.len() == log.runs.len() {
        let mut recordings = postcard::to_allocvec(&runs.recordings.lengths).ok()?;
        recordings.extend_from_slice(&runs.recordings.bytes);
        parts.push((CachePart::Recordings, recordings));
    }
    Some(parts)
}

/// Decodes the analysis of a log, with recordings if there are any. Returns `None` if it does not have all that the options
/// ask for.
pub(super) fn decode(
    input: &LogInput,
    options: &AnalyzeOptions,
    figures: &[u8],
    recordings: Option<&[u8]>,
) -> Option<LogAnalysis> {
    let (stored, figures): (StoredLog, &[u8]) = postcard::take_from_bytes(figures).ok()?;
    let figures = EncodedPieces::split(&stored.lengths, figures)?;
    let recordings = match recordings {
        Some(recordings) => {
            let (lengths, recordings): (Vec<u32>, &[u8]) = postcard::take_from_bytes(recordings).ok()?;
            let recordings = EncodedPieces::split(&lengths, recordings)?;
            recordings.into_iter().map(Some).collect()
        }
        None => vec![None; figures.len()],
    };
    if recordings.len() != figures.len() {
        return None;
    }
    let mut log = LogAnalysis { reading: stored.reading(options.notes_per_log)?, ..LogAnalysis::default() };
    let alone = figures.len() == 1;
    let info = LogInfo {
        source: input.name(),
        format: stored.format.parse::<LogFormat>().ok()?.as_str(),
        skipped_lines: alone.then_some(stored.skipped_lines),
        unread_items: Some(stored.unread_items).filter(|items| alone && *items > 0),
    };
    let mut runs = DecodedRuns::new(options, info, figures.len());
    for (figures, recording) in figures.into_iter().zip(recordings) {
        let record = RunRecord::from_parts_bytes(&options.config, figures, recording).ok()?;
        if options.only_run.as_deref().is_none_or(|only| only == record.run()) {
            runs.add(record)?;
            continue;
        }
        // The notes about its turns were not made if it is not selected.
        if record.renumbered_turns() > 0 {
            return None;
        }
        if log.other_runs.len() < OTHER_RUNS {
            log.other_runs.insert(record.run().to_owned());
        }
    }
    let attempts = stored
        .attempts
        .iter()
        .map(|(run, step)| ReportedAttempt::from_step(run, &serde_json::from_str::<Step<'_>>(step).ok()?));
    let attempts: Vec<ReportedAttempt> = attempts.collect::<Option<_>>()?;
    let is_selected =
        |attempt: &ReportedAttempt| options.only_run.as_deref().is_none_or(|only| only == attempt.run());
    log.attempts = attempts.into_iter().filter(is_selected).collect();
    log.runs = runs.finish();
    Some(log)
}

impl StoredLog {
    /// Returns the summary of the reading with at most `limit` notes. Returns `None` if fewer were stored and there are more.
    fn reading(&self, limit: usize) -> Option<LogReadSummary> {
        if self.unlisted_notes > 0 && limit > self.notes.len() {
            return None;
        }
        let notes = self.notes.iter().take(limit);
        Some(LogReadSummary {
            bytes: self.bytes,
            skipped_lines: self.skipped_lines,
            unread_items: self.unread_items,
            notes: notes.map(|(line, text)| LineNote { line: *line, text: text.clone() }).collect(),
            unlisted_notes: self.unlisted_notes + self.notes.len().saturating_sub(limit) as u64,
            refusal: None,
        })
    }
}

/// The runs of a log that are decoded: in memory, or in a file if there are many.
struct DecodedRuns<'o> {
    options: &'o AnalyzeOptions,
    info: LogInfo,
    all: Vec<FinishedRun>,
    names: RunNames,
    records: Option<SpillFile>,
}

impl<'o> DecodedRuns<'o> {
    fn new(options: &'o AnalyzeOptions, info: LogInfo, count: usize) -> Self {
        let records = (count > MAX_GUARDS).then(|| SpillFile::new(RECORD_BYTES));
        DecodedRuns { options, info, all: Vec::with_capacity(count), names: RunNames::default(), records }
    }

    fn add(&mut self, record: RunRecord) -> Option<()> {
        if self.names.find(record.run()).is_some() {
            return None;
        }
        self.names.add(record.run());
        self.all.push(match &mut self.records {
            Some(records) => FinishedRun::Spilled(records.put(&record.to_bytes().ok()?).ok()?),
            None => FinishedRun::InMemory(Box::new(self.info.finish(record))),
        });
        Some(())
    }

    fn finish(self) -> FinishedRuns {
        let config = &self.options.config;
        let spilled = self.records.map(|records| SpilledRecords { records, config: config.clone() });
        FinishedRuns::new(self.all, self.names, spilled, self.info)
    }
}

/// Returns whether the texts of an attempt contain no secret. Reports mask them only where they quote them.
fn attempt_is_public(attempt: &ReportedAttempt) -> bool {
    attempt.step().task.as_ref().is_none_or(|task| {
        let lists = task.blockers.iter().chain(&task.work).chain(&task.status);
        lists.map(|text: &StepText<'_>| &**text).chain([&*task.id.as_text()]).all(is_public)
    })
}

fn is_public(text: &str) -> bool {
    mask_secrets(text) == text
}
