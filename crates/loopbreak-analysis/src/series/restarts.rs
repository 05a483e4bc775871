//! Runs that are started repeatedly with the same prompt, which the guard of a single run cannot see.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use loopbreak::verdict::LoopId;
use loopbreak::{Config, Series, series::RunSummary};

use crate::report::SeriesReport;

/// Collects all runs with a prompt.
#[derive(Debug)]
pub struct RestartTracker {
    series: Series,
    runs: Vec<RunSummary>,
}

impl RestartTracker {
    /// Creates an empty collection.
    pub fn new(config: &Config) -> Self {
        RestartTracker { series: Series::new(config.clone()), runs: Vec::new() }
    }

    /// Adds a finished run.
    pub fn add(&mut self, run: RunSummary) {
        if run.prompt().is_some() {
            self.runs.push(run);
        }
    }

    /// Returns the prompts whose runs die young or have no result, in the order of detection.
    pub fn finish(mut self) -> Vec<SeriesReport> {
        // Files are read in the order of their names; runs are sorted by time, if known.
        self.runs.sort_by_key(RunSummary::started);
        let mut found: Vec<SeriesReport> = Vec::new();
        let mut places: HashMap<Option<u64>, usize, RandomState> = HashMap::default();
        for run in &self.runs {
            for finding in self.series.conclude(run).findings {
                let place = *places.entry(run.prompt_id()).or_insert_with(|| {
                    found.push(about(run));
                    found.len() - 1
                });
                found[place].findings.push(finding);
            }
        }
        for run in &self.runs {
            if let Some(place) = places.get(&run.prompt_id()) {
                found[*place].runs.push(run.run().to_owned());
                found[*place].attempts += 1;
            }
        }
        found
    }
}

/// Returns an entry for the prompt of a run.
fn about(run: &RunSummary) -> SeriesReport {
    SeriesReport {
        key: run.prompt_id().map(|id| format!("prompt:{}", LoopId(id))).unwrap_or_default(),
        task: None,
        prompt: run.prompt().map(str::to_owned),
        runs: Vec::new(),
        attempts: 0,
        findings: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopbreak::Step;

    fn series(runs: &[(&str, i64, &str)]) -> Vec<SeriesReport> {
        let config = Config::default();
        let mut restarts = RestartTracker::new(&config);
        for (index, (prompt, at, end)) in runs.iter().enumerate() {
            let mut summary = RunSummary::new(&config, format!("r{index}"));
            for line in [format!(r#"{{"at":{at},"user":"{prompt}"}}"#), (*end).to_owned()] {
                summary.observe(&Step::from_json(&line).unwrap());
            }
            restarts.add(summary);
        }
        restarts.finish()
    }

    const CRASH: &str = r#"{"outcome":{"text":"Error: no credit left","error":true}}"#;
    const ANSWER: &str = r#"{"say":"All tests pass."}"#;

    #[test]
    fn three_runs_that_die_young_are_found_in_the_order_of_time() {
        let job = |at| ("Work on the plan, attempt 3", at, CRASH);
        let found = series(&[job(3), ("Something else to do", 9, CRASH), job(1), job(2)]);
        assert_eq!(found.len(), 1);
        assert!(found[0].key.starts_with("prompt:") && found[0].task.is_none());
        assert_eq!(found[0].prompt.as_deref(), Some("Work on the plan, attempt 3"));
        assert_eq!(found[0].runs, ["r2", "r3", "r0"]);
        assert_eq!(found[0].attempts, 3);
        let finding = &found[0].findings[0];
        assert_eq!((finding.pattern, finding.count, finding.since), (loopbreak::Pattern::DiesYoung, 3, 1));
        assert_eq!(finding.evidence.text("ended_with"), Some("Error: no credit left"));
    }

    #[test]
    fn a_success_between_two_failures_restarts_the_count() {
        let job = |at, end| ("Work on the plan", at, end);
        assert!(
            series(&[job(1, CRASH), job(2, CRASH), job(3, ANSWER), job(4, CRASH), job(5, CRASH)]).is_empty()
        );
    }
}
