//! Reads logs through Loopbreak and the baselines at once.

use std::collections::HashMap;
use std::mem;

use loopbreak::{Config, Step, Verdict};
use loopbreak_trace::{LogInput, OpenError};
use rayon::prelude::*;

use super::baseline::{Baseline, Watcher};
use super::evaluate::Sample;
use crate::logs::{LogAnalysis, LogAnalyzer, LogReadSummary, StepObserver};
use crate::report::RunReport;

/// Reads logs in parallel. Returns how the reading went per input, and all runs in the order of the inputs. `patience` are
/// other settings that every run is replayed with.
pub fn read_samples(
    analyzer: &LogAnalyzer,
    inputs: &[LogInput],
    baselines: &[Baseline],
    patience: &[Config],
) -> (Vec<LogReadSummary>, Vec<Sample>) {
    let read = |input: &LogInput| {
        let mut watching = Watching { baselines, patience, watchers: HashMap::new() };
        let analysis = analyzer.analyze_log(input, &mut watching);
        watching.finish(analysis)
    };
    let (logs, samples): (Vec<_>, Vec<Vec<Sample>>) = inputs.par_iter().map(read).unzip();
    (logs, samples.into_iter().flatten().collect())
}

/// The baselines of all runs of one log.
struct Watching<'w> {
    baselines: &'w [Baseline],
    patience: &'w [Config],
    watchers: HashMap<String, Vec<Watcher>>,
}

impl StepObserver for Watching<'_> {
    fn observe(&mut self, run: &str, step: &Step<'_>, verdict: &Verdict) {
        if !self.watchers.contains_key(run) {
            let rules = self.baselines.iter().map(|baseline| Watcher::new(*baseline, run));
            let fresh = rules.chain(self.patience.iter().map(|config| Watcher::with(config, run)));
            self.watchers.insert(run.to_owned(), fresh.collect());
        }
        for watcher in self.watchers.get_mut(run).into_iter().flatten() {
            watcher.observe(step, verdict.turn);
        }
    }
}

impl Watching<'_> {
    fn finish(mut self, mut analysis: LogAnalysis) -> (LogReadSummary, Vec<Sample>) {
        let sample = |report: RunReport| {
            let watched = self.watchers.remove(&report.run).unwrap_or_default();
            let mut watched: Vec<_> = watched.into_iter().map(Watcher::finish).collect();
            let curve = watched.drain(self.baselines.len().min(watched.len())..).map(|other| other.outcome());
            let curve = curve.collect();
            Sample { baselines: watched, curve, report, positive: None }
        };
        match mem::take(&mut analysis.runs).into_reports() {
            Ok(reports) => (analysis.reading, reports.into_iter().map(sample).collect()),
            Err(error) => {
                analysis.reading.refusal = Some(OpenError::Unreadable(error));
                (analysis.reading, Vec::new())
            }
        }
    }
}
