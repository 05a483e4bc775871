//! A log whose lines stand by themselves, on several threads: a block of lines a round. All threads read its lines; then
//! each run of the block is shown its steps, in order, by one of them; then what there is to tell is told in the order
//! of the log. Meanwhile the next block is fetched.

use std::io;
use std::mem;

use loopbreak::Config;
use loopbreak_report::{RunAnalysis, TaskAttempt};
use loopbreak_trace::{Block, Blocks, Read, Record, Sink as _, Skipped};
use rayon::prelude::*;

use super::log::Reading;
use super::runs::Lent;

/// Fewer lines than this are not worth a thread.
const LINES: usize = 32;

type Parsed<'b> = Option<Result<Record<'b>, Skipped>>;

/// Reads to the end.
pub(super) fn read(mut blocks: Blocks, reading: &mut Reading<'_, '_>) -> io::Result<Read> {
    let (mut now, mut next) = (Block::default(), Block::default());
    blocks.fill(&mut now)?;
    while !now.is_empty() {
        let (fetched, done) = rayon::join(|| blocks.fill(&mut next), || round(&now, reading));
        done?;
        fetched?;
        mem::swap(&mut now, &mut next);
    }
    Ok(blocks.read())
}

/// A run, and its steps of this round.
struct Turn<'p, 'b> {
    run: usize,
    lent: Option<Lent>,
    analysis: Option<io::Result<Box<RunAnalysis>>>,
    /// With their places in the block.
    records: Vec<(u32, &'p Record<'b>)>,
    told: Vec<(u32, Told)>,
}

/// What there is to tell of a step.
enum Told {
    Attempt(Box<TaskAttempt>),
    /// The turn that the log names, and the one it was counted as.
    Renumbered(u64, u64, u64),
    Skipped(Skipped),
}

fn round(block: &Block, reading: &mut Reading<'_, '_>) -> io::Result<()> {
    let parse = |at| block.record(at);
    let parsed: Vec<Parsed<'_>> = (0..block.len()).into_par_iter().with_min_len(LINES).map(parse).collect();

    let mut turns: Vec<Turn<'_, '_>> = Vec::new();
    let mut told: Vec<(u32, Told)> = Vec::new();
    for (at, line) in (0_u32..).zip(&parsed) {
        match line {
            None => {}
            Some(Err(skipped)) => told.push((at, Told::Skipped(skipped.clone()))),
            Some(Ok(record)) => {
                reading.says_something |= record.step.has_facet();
                let Some(run) = reading.run_of(record) else { continue };
                let turn = reading.turn_of(run, turns.len());
                if turn == turns.len() {
                    let lent = Some(reading.runs.lend(run)?);
                    turns.push(Turn { run, lent, analysis: None, records: Vec::new(), told: Vec::new() });
                }
                turns[turn].records.push((at, record));
            }
        }
    }
    let config = reading.manner.config;
    turns.par_iter_mut().for_each(|turn| turn.take(config));

    reading.turns.clear();
    for turn in turns {
        told.extend(turn.told);
        if let Some(analysis) = turn.analysis {
            reading.runs.give_back(turn.run, analysis?);
        }
    }
    reading.runs.put_away()?;
    // Stable: an attempt stands before the note of the same step.
    told.sort_by_key(|(at, _)| *at);
    for (_, told) in told {
        match told {
            Told::Attempt(attempt) => reading.outcome.attempts.push(*attempt),
            Told::Renumbered(line, named, counted) => reading.renumbered(line, named, counted),
            Told::Skipped(skipped) => reading.skipped(skipped),
        }
    }
    Ok(())
}

impl Turn<'_, '_> {
    /// Shows the run its steps.
    fn take(&mut self, config: &Config) {
        let Some(lent) = self.lent.take() else { return };
        self.analysis = Some(lent.wake(config).map(|mut analysis| {
            for (at, record) in &self.records {
                let step = &record.step;
                let verdict = analysis.observe_at(step, Some(record.line));
                self.told
                    .extend(TaskAttempt::of(analysis.run(), step).map(|a| (*at, Told::Attempt(Box::new(a)))));
                if verdict.renumbered {
                    let named = step.turn.unwrap_or(0);
                    self.told.push((*at, Told::Renumbered(record.line, named, verdict.turn)));
                }
            }
            analysis
        }));
    }
}
