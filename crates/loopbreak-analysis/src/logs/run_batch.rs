//! Reads a log whose lines are independent on several threads, block by block.
//!
//! If nearly every line starts with the name of its run, one thread parses the lines of a run and shows them to its
//! guard while they are in its cache. Otherwise, or if one run has most of the lines, some threads parse lines while
//! others process the steps parsed before. In both cases the steps of a run keep their order, and notes are reported
//! in the order of the log. The next block is read at the same time.

use std::borrow::{Borrow, Cow};
use std::collections::HashMap;
use std::io;
use std::mem;
use std::ops::Range;

use crate::{ReportedAttempt, RunAnalysis};
use foldhash::fast::RandomState;
use loopbreak::Config;
use loopbreak_trace::{LineBlock, LineBlocks, LogRecord, ReadStats, RecordSink as _, SkippedLine};
use rayon::prelude::*;

use super::open_runs::CheckedOutRun;
use super::run_dispatcher::RunDispatcher;

/// Number of lines parsed while the lines before them are processed.
const AHEAD: usize = 256;
/// Minimum number of lines per thread.
const LINES: usize = 32;
/// Number of runs that a thread takes at a time. With more, one thread would wait for another at the end of each
/// block.
const RUNS: usize = 1;

/// A line with its index in the block: a step, a skipped line, or a blank line.
type ParsedLine<'b> = (u32, Option<Result<LogRecord<'b>, SkippedLine>>);

/// Reads to the end of the log.
pub(super) fn read(mut blocks: LineBlocks, reader: &mut RunDispatcher<'_>) -> io::Result<ReadStats> {
    let (mut now, mut next) = (LineBlock::default(), LineBlock::default());
    blocks.fill(&mut now)?;
    while !now.is_empty() {
        let (fetched, done) = rayon::join(|| blocks.fill(&mut next), || process_block(&now, reader));
        done?;
        fetched?;
        mem::swap(&mut now, &mut next);
    }
    Ok(blocks.stats())
}

fn process_block(block: &LineBlock, reader: &mut RunDispatcher<'_>) -> io::Result<()> {
    match split_by_run(block, reader) {
        Some(shares) => observe_by_run(block, shares, reader),
        None => parse_ahead(block, reader),
    }
}

/// The lines of a block by run.
struct LineShares<'b> {
    runs: Vec<RunShare<'b>>,
    /// Notes about lines that belong to no run.
    notes: Vec<(u32, BatchNote)>,
}

struct RunShare<'b> {
    run: Cow<'b, str>,
    lines: Vec<u32>,
}

/// At most one of this many lines may have to be parsed to find its run. It is parsed again with the others of the
/// run.
const LINES_PER_PARSE: usize = 8;

/// Splits the lines by run. Returns `None` if too many lines do not start with their run, or if one run has so large a
/// share that the others would wait for it.
fn split_by_run<'b>(block: &'b LineBlock, reader: &RunDispatcher<'_>) -> Option<LineShares<'b>> {
    if reader.options.only_run.is_some() {
        return None;
    }
    let mut shares = LineShares { runs: Vec::new(), notes: Vec::new() };
    let mut by_name: HashMap<Cow<'_, str>, usize, RandomState> = HashMap::default();
    let mut unclear = 0;
    for (at, index) in (0_u32..).zip(0..block.len()) {
        let run = if let Some(run) = block.run(index) {
            Cow::Borrowed(run)
        } else {
            unclear += 1;
            if LINES_PER_PARSE * unclear > block.len() {
                return None;
            }
            match block.record(index) {
                None => continue,
                Some(Err(skipped)) => {
                    shares.notes.push((at, BatchNote::Skipped(skipped)));
                    continue;
                }
                Some(Ok(record)) => Cow::Owned(reader.name_of(&record).into_owned()),
            }
        };
        let share = *by_name.entry(run).or_insert_with_key(|run| {
            shares.runs.push(RunShare { run: run.clone(), lines: Vec::new() });
            shares.runs.len() - 1
        });
        shares.runs[share].lines.push(at);
    }
    let longest = shares.runs.iter().map(|share| share.lines.len()).max()?;
    (longest * rayon::current_num_threads() <= block.len()).then_some(shares)
}

/// Shows each run its lines, parsed directly before.
fn observe_by_run(
    block: &LineBlock,
    shares: LineShares<'_>,
    reader: &mut RunDispatcher<'_>,
) -> io::Result<()> {
    let mut batches = Vec::with_capacity(shares.runs.len());
    for share in shares.runs {
        let run = reader.runs.find(&share.run);
        let run_state = run.map(|run| reader.runs.check_out(run)).transpose()?;
        batches.push((share, RunBatch { run, run_state, ..RunBatch::default() }));
    }
    let config = &reader.options.config;
    let begin = reader.runs.starter();
    batches.par_iter_mut().with_max_len(RUNS).for_each(|(share, batch)| {
        let run_state = batch.run_state.take().unwrap_or_else(|| CheckedOutRun::Active(begin(&share.run)));
        batch.take(
            run_state,
            config,
            share.lines.iter().filter_map(|at| Some((*at, block.record(*at as usize)?))),
        );
    });
    // A run starts with the first line that could be parsed.
    batches.sort_by_key(|(_, batch)| batch.first);
    for (share, batch) in &mut batches {
        if batch.run.is_none() && batch.first.is_some() {
            batch.run = Some(reader.runs.reserve(&share.run));
        }
    }
    finish_batches(batches.into_iter().map(|(_, batch)| batch), shares.notes, reader)
}

/// Parses some lines while the steps parsed before are processed.
fn parse_ahead(block: &LineBlock, reader: &mut RunDispatcher<'_>) -> io::Result<()> {
    let mut from = 0;
    let mut parsed = Vec::new();
    while from < block.len() {
        let to = block.len().min(from + AHEAD);
        let (next, done) = rayon::join(|| parse(block, from..to), || observe(&parsed, reader));
        done?;
        (parsed, from) = (next, to);
    }
    observe(&parsed, reader)
}

fn parse(block: &LineBlock, lines: Range<usize>) -> Vec<ParsedLine<'_>> {
    let parse = |at: usize| (at as u32, block.record(at));
    lines.into_par_iter().with_min_len(LINES).map(parse).collect()
}

/// Shows each run its steps among these lines.
fn observe(parsed: &[ParsedLine<'_>], reader: &mut RunDispatcher<'_>) -> io::Result<()> {
    let mut batches: Vec<(RunBatch, Vec<(u32, &LogRecord<'_>)>)> = Vec::new();
    let mut by_run: HashMap<usize, usize, RandomState> = HashMap::default();
    let mut notes: Vec<(u32, BatchNote)> = Vec::new();
    for (at, line) in parsed {
        match line {
            None => {}
            Some(Err(skipped)) => notes.push((*at, BatchNote::Skipped(skipped.clone()))),
            Some(Ok(record)) => {
                reader.has_content |= record.step.has_facet();
                let Some(run) = reader.run_of(record) else { continue };
                let batch = *by_run.entry(run).or_insert(batches.len());
                if batch == batches.len() {
                    let run_state = Some(reader.runs.check_out(run)?);
                    batches.push((RunBatch { run: Some(run), run_state, ..RunBatch::default() }, Vec::new()));
                }
                batches[batch].1.push((*at, record));
            }
        }
    }
    let config = &reader.options.config;
    batches.par_iter_mut().with_max_len(RUNS).for_each(|(batch, records)| {
        if let Some(run_state) = batch.run_state.take() {
            batch.take(run_state, config, records.iter().map(|(at, record)| (*at, Ok(*record))));
        }
    });
    finish_batches(batches.into_iter().map(|(batch, _)| batch), notes, reader)
}

/// Checks the runs in, and reports the notes in the order of the lines.
fn finish_batches(
    batches: impl Iterator<Item = RunBatch>,
    mut notes: Vec<(u32, BatchNote)>,
    reader: &mut RunDispatcher<'_>,
) -> io::Result<()> {
    for batch in batches {
        reader.has_content |= batch.has_content;
        notes.extend(batch.notes);
        if let Some((run, analysis)) = batch.run.zip(batch.analysis) {
            reader.runs.check_in(run, analysis?);
        }
    }
    reader.runs.spill_idle()?;
    // Stable: an attempt comes before the note about the same step.
    notes.sort_by_key(|(at, _)| *at);
    for (_, note) in notes {
        match note {
            BatchNote::Attempt(attempt) => reader.analysis.attempts.push(*attempt),
            BatchNote::Renumbered(line, named, counted) => reader.renumbered(line, named, counted),
            BatchNote::Skipped(skipped) => reader.skipped(skipped),
        }
    }
    Ok(())
}

/// The steps of one run in a block.
#[derive(Default)]
struct RunBatch {
    /// The place of the run; absent if it is new.
    run: Option<usize>,
    run_state: Option<CheckedOutRun>,
    analysis: Option<io::Result<Box<RunAnalysis>>>,
    /// The index of the first line that is a step.
    first: Option<u32>,
    has_content: bool,
    /// Notes with the indexes of their lines in the block.
    notes: Vec<(u32, BatchNote)>,
}

/// A note about a line.
enum BatchNote {
    Attempt(Box<ReportedAttempt>),
    /// The line, the turn that the log names, and the one it was counted as.
    Renumbered(u64, u64, u64),
    Skipped(SkippedLine),
}

impl RunBatch {
    /// Shows the run its steps.
    fn take<'b, R: Borrow<LogRecord<'b>>>(
        &mut self,
        run_state: CheckedOutRun,
        config: &Config,
        lines: impl Iterator<Item = (u32, Result<R, SkippedLine>)>,
    ) {
        self.analysis = Some(run_state.into_analysis(config).map(|mut analysis| {
            for (at, line) in lines {
                match line {
                    Ok(record) => self.observe(&mut analysis, at, record.borrow()),
                    Err(skipped) => self.notes.push((at, BatchNote::Skipped(skipped))),
                }
            }
            analysis
        }));
    }

    fn observe(&mut self, analysis: &mut RunAnalysis, at: u32, record: &LogRecord<'_>) {
        let step = &record.step;
        self.first.get_or_insert(at);
        self.has_content |= step.has_facet();
        let verdict = analysis.observe_at(step, Some(record.line));
        let attempt = ReportedAttempt::from_step(analysis.run(), step);
        self.notes.extend(attempt.map(|attempt| (at, BatchNote::Attempt(Box::new(attempt)))));
        if verdict.renumbered {
            let named = step.turn.unwrap_or(0);
            self.notes.push((at, BatchNote::Renumbered(record.line, named, verdict.turn)));
        }
    }
}
