//! One log, through Loopbreak and the baselines at once.

use std::collections::HashMap;
use std::mem;

use loopbreak::Step;
use loopbreak_report::RunReport;
use loopbreak_report::eval::{Baseline, Sample, Watcher};
use loopbreak_trace::Input;

use crate::analyze::{Manner, Outcome, analyze_with};

/// Reads a log. The runs are taken out of the outcome and into the samples.
pub(super) fn samples(
    input: &Input,
    manner: Manner<'_>,
    baselines: &[Baseline],
    watch: impl Fn(u64) + Clone + Send + 'static,
) -> (Outcome, Vec<Sample>) {
    let mut watchers: HashMap<String, Vec<Watcher>> = HashMap::new();
    let mut also = |run: &str, step: &Step<'_>, turn: u64| {
        if !watchers.contains_key(run) {
            let fresh = baselines.iter().map(|baseline| Watcher::new(*baseline, run)).collect();
            watchers.insert(run.to_owned(), fresh);
        }
        for watcher in watchers.get_mut(run).into_iter().flatten() {
            watcher.observe(step, turn);
        }
    };
    let mut outcome = analyze_with(input, manner, None, &mut also, watch);
    let sample = |report: RunReport| {
        let watched = watchers.remove(&report.run).unwrap_or_default();
        Sample { baselines: watched.into_iter().map(Watcher::finish).collect(), report, positive: None }
    };
    let samples = mem::take(&mut outcome.runs).into_iter().map(sample).collect();
    (outcome, samples)
}
