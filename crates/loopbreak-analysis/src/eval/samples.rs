//! Reads logs through Loopbreak and the baselines at the same time.

use std::collections::HashMap;
use std::mem;

use loopbreak::{Config, Step, Verdict};
use loopbreak_trace::{LogInput, OpenError};
use rayon::prelude::*;

use super::baseline::{BaselineWatcher, EvalBaseline};
use super::evaluate::EvalSample;
use super::loop_follower::LoopFollower;
use crate::logs::{LogAnalysis, LogAnalyzer, LogReadSummary, StepObserver};
use crate::report::RunReport;

/// Reads logs in parallel. Returns a summary per input, and all runs in the order of the inputs. Every run is also
/// replayed with the settings in `patience`.
pub fn read_samples(
    analyzer: &LogAnalyzer,
    inputs: &[LogInput],
    baselines: &[EvalBaseline],
    patience: &[Config],
) -> (Vec<LogReadSummary>, Vec<EvalSample>) {
    let read = |input: &LogInput| {
        let mut watching = BaselineObserver { baselines, patience, watchers: HashMap::new() };
        let analysis = analyzer.analyze_log(input, &mut watching);
        watching.finish(analysis)
    };
    let (logs, samples): (Vec<_>, Vec<Vec<EvalSample>>) = inputs.par_iter().map(read).unzip();
    (logs, samples.into_iter().flatten().collect())
}

/// The baselines of all runs of one log.
struct BaselineObserver<'w> {
    baselines: &'w [EvalBaseline],
    patience: &'w [Config],
    watchers: HashMap<String, RunWatchers>,
}

/// The observers of one run besides the guard that is evaluated.
#[derive(Default)]
struct RunWatchers {
    warned: LoopFollower,
    /// The baselines, then the guards with other patience.
    others: Vec<BaselineWatcher>,
}

impl StepObserver for BaselineObserver<'_> {
    fn observe(&mut self, run: &str, step: &Step<'_>, verdict: &Verdict) {
        if !self.watchers.contains_key(run) {
            let rules = self.baselines.iter().map(|baseline| BaselineWatcher::new(*baseline, run));
            let fresh =
                rules.chain(self.patience.iter().map(|config| BaselineWatcher::with_config(config, run)));
            let fresh = RunWatchers { others: fresh.collect(), ..RunWatchers::default() };
            self.watchers.insert(run.to_owned(), fresh);
        }
        if let Some(watchers) = self.watchers.get_mut(run) {
            watchers.warned.add(step, verdict);
            for watcher in &mut watchers.others {
                watcher.observe(step, verdict.turn);
            }
        }
    }
}

impl BaselineObserver<'_> {
    fn finish(mut self, mut analysis: LogAnalysis) -> (LogReadSummary, Vec<EvalSample>) {
        let sample = |report: RunReport| {
            let RunWatchers { warned, others } = self.watchers.remove(&report.run).unwrap_or_default();
            let mut watched: Vec<_> = others.into_iter().map(BaselineWatcher::finish).collect();
            let curve = watched.drain(self.baselines.len().min(watched.len())..).map(|other| other.outcome());
            let curve = curve.collect();
            EvalSample { baselines: watched, curve, remainder: warned.finish(), report, positive: None }
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
