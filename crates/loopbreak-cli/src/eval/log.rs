//! One log, through Loopbreak and the baselines at once.

use std::collections::HashMap;
use std::mem;

use loopbreak::{Config, Step, Verdict};
use loopbreak_report::RunReport;
use loopbreak_report::eval::{Baseline, Sample, Watcher};
use loopbreak_trace::{LogInput, OpenError};

use crate::analyze::{Manner, Outcome, analyze_with};

/// Reads a log. The runs are taken out of the outcome and into the samples.
pub(super) fn samples(
    input: &LogInput,
    manner: Manner<'_>,
    baselines: &[Baseline],
    patience: &[Config],
    watch: impl Fn(u64) + Clone + Send + 'static,
) -> (Outcome, Vec<Sample>) {
    let mut watchers: HashMap<String, Vec<Watcher>> = HashMap::new();
    let mut also = |run: &str, step: &Step<'_>, verdict: &Verdict| {
        if !watchers.contains_key(run) {
            let rules = baselines.iter().map(|baseline| Watcher::new(*baseline, run));
            let fresh = rules.chain(patience.iter().map(|config| Watcher::with(config, run)));
            watchers.insert(run.to_owned(), fresh.collect());
        }
        for watcher in watchers.get_mut(run).into_iter().flatten() {
            watcher.observe(step, verdict.turn);
        }
    };
    let mut outcome = analyze_with(input, manner, None, &mut also, watch);
    let sample = |report: RunReport| {
        let watched = watchers.remove(&report.run).unwrap_or_default();
        let mut watched: Vec<_> = watched.into_iter().map(Watcher::finish).collect();
        let curve = watched.drain(baselines.len().min(watched.len())..).map(|other| other.outcome());
        let curve = curve.collect();
        Sample { baselines: watched, curve, report, positive: None }
    };
    match mem::take(&mut outcome.runs).into_reports() {
        Ok(reports) => {
            let samples = reports.into_iter().map(sample).collect();
            (outcome, samples)
        }
        Err(error) => {
            outcome.refusal = Some(OpenError::Unreadable(error));
            (outcome, Vec::new())
        }
    }
}
