//! A log whose lines stand by themselves, on several threads: a block of lines a round.
//!
//! Where nearly every line names its run first, the lines of each run are read and shown to its guard by one thread, while they
//! are warm. Otherwise, or where one run has most of the lines, some threads read lines while others show the runs the
//! steps that were read before. In both ways the steps of a run keep their order, and what there is to tell is told in
//! the order of the log. Meanwhile the next block is fetched.

use std::borrow::{Borrow, Cow};
use std::collections::HashMap;
use std::io;
use std::mem;
use std::ops::Range;

use crate::{RunAnalysis, TaskAttempt};
use foldhash::fast::RandomState;
use loopbreak::Config;
use loopbreak_trace::{LineBlock, LineBlocks, LogRecord, ReadStats, RecordSink as _, SkippedLine};
use rayon::prelude::*;

use super::log_reader::LogReader;
use super::open_runs::Lent;

/// So many lines are read while those before them are shown.
const AHEAD: usize = 256;
/// Fewer lines than this are not worth a thread.
const LINES: usize = 32;
/// So many runs are taken at a time. With more, one thread would wait at the end of each round for the other.
const RUNS: usize = 1;

/// A line with its place in the block: a step, a line to be skipped, or a blank one.
type Parsed<'b> = (u32, Option<Result<LogRecord<'b>, SkippedLine>>);

/// Reads to the end.
pub(super) fn read(mut blocks: LineBlocks, reader: &mut LogReader<'_>) -> io::Result<ReadStats> {
    let (mut now, mut next) = (LineBlock::default(), LineBlock::default());
    blocks.fill(&mut now)?;
    while !now.is_empty() {
        let (fetched, done) = rayon::join(|| blocks.fill(&mut next), || round(&now, reader));
        done?;
        fetched?;
        mem::swap(&mut now, &mut next);
    }
    Ok(blocks.stats())
}

fn round(block: &LineBlock, reader: &mut LogReader<'_>) -> io::Result<()> {
    match shares(block, reader) {
        Some(shares) => share_out(block, shares, reader),
        None => read_ahead(block, reader),
    }
}

/// The lines of a block, run by run.
struct Shares<'b> {
    runs: Vec<Share<'b>>,
    /// Of lines that are of no run.
    told: Vec<(u32, Told)>,
}

struct Share<'b> {
    run: Cow<'b, str>,
    lines: Vec<u32>,
}

/// Of so many lines one may have to be read to know its run. It is read again with the others of the run.
const TELLING: usize = 8;

/// The lines run by run, where most tell it at once and no run has so many that the others would wait for it.
fn shares<'b>(block: &'b LineBlock, reader: &LogReader<'_>) -> Option<Shares<'b>> {
    if reader.options.only_run.is_some() {
        return None;
    }
    let mut shares = Shares { runs: Vec::new(), told: Vec::new() };
    let mut by_name: HashMap<Cow<'_, str>, usize, RandomState> = HashMap::default();
    let mut unclear = 0;
    for (at, index) in (0_u32..).zip(0..block.len()) {
        let run = if let Some(run) = block.run(index) {
            Cow::Borrowed(run)
        } else {
            unclear += 1;
            if TELLING * unclear > block.len() {
                return None;
            }
            match block.record(index) {
                None => continue,
                Some(Err(skipped)) => {
                    shares.told.push((at, Told::Skipped(skipped)));
                    continue;
                }
                Some(Ok(record)) => Cow::Owned(reader.name_of(&record).into_owned()),
            }
        };
        let share = *by_name.entry(run).or_insert_with_key(|run| {
            shares.runs.push(Share { run: run.clone(), lines: Vec::new() });
            shares.runs.len() - 1
        });
        shares.runs[share].lines.push(at);
    }
    let longest = shares.runs.iter().map(|share| share.lines.len()).max()?;
    (longest * rayon::current_num_threads() <= block.len()).then_some(shares)
}

/// Shows every run its lines, each read right before.
fn share_out(block: &LineBlock, shares: Shares<'_>, reader: &mut LogReader<'_>) -> io::Result<()> {
    let mut turns = Vec::with_capacity(shares.runs.len());
    for share in shares.runs {
        let run = reader.runs.known(&share.run);
        let lent = run.map(|run| reader.runs.lend(run)).transpose()?;
        turns.push((share, Turn { run, lent, ..Turn::default() }));
    }
    let config = &reader.options.config;
    let begin = reader.runs.beginning();
    turns.par_iter_mut().with_max_len(RUNS).for_each(|(share, turn)| {
        let lent = turn.lent.take().unwrap_or_else(|| Lent::Awake(begin(&share.run)));
        turn.take(lent, config, share.lines.iter().filter_map(|at| Some((*at, block.record(*at as usize)?))));
    });
    // A run begins with the first line that could be read.
    turns.sort_by_key(|(_, turn)| turn.first);
    for (share, turn) in &mut turns {
        if turn.run.is_none() && turn.first.is_some() {
            turn.run = Some(reader.runs.place_for(&share.run));
        }
    }
    give_back(turns.into_iter().map(|(_, turn)| turn), shares.told, reader)
}

/// Reads some lines, and reads on while every run is shown its steps among them.
fn read_ahead(block: &LineBlock, reader: &mut LogReader<'_>) -> io::Result<()> {
    let mut from = 0;
    let mut parsed = Vec::new();
    while from < block.len() {
        let to = block.len().min(from + AHEAD);
        let (next, done) = rayon::join(|| parse(block, from..to), || show(&parsed, reader));
        done?;
        (parsed, from) = (next, to);
    }
    show(&parsed, reader)
}

fn parse(block: &LineBlock, lines: Range<usize>) -> Vec<Parsed<'_>> {
    let parse = |at: usize| (at as u32, block.record(at));
    lines.into_par_iter().with_min_len(LINES).map(parse).collect()
}

/// Shows every run its steps among these lines.
fn show(parsed: &[Parsed<'_>], reader: &mut LogReader<'_>) -> io::Result<()> {
    let mut turns: Vec<(Turn, Vec<(u32, &LogRecord<'_>)>)> = Vec::new();
    let mut by_run: HashMap<usize, usize, RandomState> = HashMap::default();
    let mut told: Vec<(u32, Told)> = Vec::new();
    for (at, line) in parsed {
        match line {
            None => {}
            Some(Err(skipped)) => told.push((*at, Told::Skipped(skipped.clone()))),
            Some(Ok(record)) => {
                reader.says_something |= record.step.has_facet();
                let Some(run) = reader.run_of(record) else { continue };
                let turn = *by_run.entry(run).or_insert(turns.len());
                if turn == turns.len() {
                    let lent = Some(reader.runs.lend(run)?);
                    turns.push((Turn { run: Some(run), lent, ..Turn::default() }, Vec::new()));
                }
                turns[turn].1.push((*at, record));
            }
        }
    }
    let config = &reader.options.config;
    turns.par_iter_mut().with_max_len(RUNS).for_each(|(turn, records)| {
        if let Some(lent) = turn.lent.take() {
            turn.take(lent, config, records.iter().map(|(at, record)| (*at, Ok(*record))));
        }
    });
    give_back(turns.into_iter().map(|(turn, _)| turn), told, reader)
}

/// Puts the runs back, and tells what there is to tell.
fn give_back(
    turns: impl Iterator<Item = Turn>,
    mut told: Vec<(u32, Told)>,
    reader: &mut LogReader<'_>,
) -> io::Result<()> {
    for turn in turns {
        reader.says_something |= turn.says_something;
        told.extend(turn.told);
        if let Some((run, analysis)) = turn.run.zip(turn.analysis) {
            reader.runs.give_back(run, analysis?);
        }
    }
    reader.runs.put_away()?;
    // Stable: an attempt stands before the note of the same step.
    told.sort_by_key(|(at, _)| *at);
    for (_, told) in told {
        match told {
            Told::Attempt(attempt) => reader.analysis.attempts.push(*attempt),
            Told::Renumbered(line, named, counted) => reader.renumbered(line, named, counted),
            Told::Skipped(skipped) => reader.skipped(skipped),
        }
    }
    Ok(())
}

/// A run in this round.
#[derive(Default)]
struct Turn {
    /// Where it is kept; nowhere yet if it is new.
    run: Option<usize>,
    lent: Option<Lent>,
    analysis: Option<io::Result<Box<RunAnalysis>>>,
    /// The first line that was a step.
    first: Option<u32>,
    says_something: bool,
    /// With the places of the lines in the block.
    told: Vec<(u32, Told)>,
}

/// What there is to tell of a line.
enum Told {
    Attempt(Box<TaskAttempt>),
    /// The turn that the log names, and the one it was counted as.
    Renumbered(u64, u64, u64),
    Skipped(SkippedLine),
}

impl Turn {
    /// Shows the run its steps.
    fn take<'b, R: Borrow<LogRecord<'b>>>(
        &mut self,
        lent: Lent,
        config: &Config,
        lines: impl Iterator<Item = (u32, Result<R, SkippedLine>)>,
    ) {
        self.analysis = Some(lent.wake(config).map(|mut analysis| {
            for (at, line) in lines {
                match line {
                    Ok(record) => self.show(&mut analysis, at, record.borrow()),
                    Err(skipped) => self.told.push((at, Told::Skipped(skipped))),
                }
            }
            analysis
        }));
    }

    fn show(&mut self, analysis: &mut RunAnalysis, at: u32, record: &LogRecord<'_>) {
        let step = &record.step;
        self.first.get_or_insert(at);
        self.says_something |= step.has_facet();
        let verdict = analysis.observe_at(step, Some(record.line));
        let attempt = TaskAttempt::of(analysis.run(), step);
        self.told.extend(attempt.map(|attempt| (at, Told::Attempt(Box::new(attempt)))));
        if verdict.renumbered {
            let named = step.turn.unwrap_or(0);
            self.told.push((at, Told::Renumbered(record.line, named, verdict.turn)));
        }
    }
}
