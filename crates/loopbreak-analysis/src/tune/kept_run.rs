//! Runs in memory, to be replayed many times.

use loopbreak::{Config, Step};

use super::outcome_totals::RunOutcome;
use crate::run::RunAnalysis;

/// A run with all its steps, each as one line of a native log.
#[derive(Clone, Debug)]
pub struct KeptRun {
    /// The id.
    pub run: String,
    /// The file it was read from.
    pub source: String,
    /// The steps.
    pub steps: Vec<Box<str>>,
    /// Number of steps that are turns.
    pub turns: u64,
    /// The label: positive, negative, or absent without labels.
    pub positive: Option<bool>,
}

impl KeptRun {
    /// Creates a run without steps.
    pub fn new(run: impl Into<String>, source: impl Into<String>) -> Self {
        KeptRun { run: run.into(), source: source.into(), steps: Vec::new(), turns: 0, positive: None }
    }

    /// Adds a step. Returns its size in bytes.
    pub fn keep(&mut self, step: &Step<'_>) -> usize {
        let line = serde_json::to_string(step).unwrap_or_default();
        let bytes = line.len();
        self.turns += u64::from(!step.refused);
        self.steps.push(line.into_boxed_str());
        bytes
    }
}

/// Replays a run with other settings, with the result it would have had live.
pub fn replay(config: &Config, run: &KeptRun) -> RunOutcome {
    let mut analysis = RunAnalysis::new(config, run.run.as_str());
    for line in &run.steps {
        if let Ok(step) = Step::from_json(line) {
            analysis.observe(&step);
        }
    }
    RunOutcome::from_report(&analysis.finish("", ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tune_replays_what_was_read() {
        let config = Config::default();
        let mut kept = KeptRun::new("r", "r.jsonl");
        let mut watched = RunAnalysis::new(&config, "r");
        for turn in 1..=60 {
            let line = format!(
                r#"{{"turn":{turn},"at":{turn}000,"score":3,"action":{{"name":"go","args":{{"to":[1,"é"]}}}},"place":{{"id":7}}}}"#
            );
            let step = Step::from_json(&line).unwrap();
            assert!(kept.keep(&step) > 20);
            watched.observe(&step);
        }
        let outcome = replay(&config, &kept);
        assert_eq!(outcome, RunOutcome::from_report(&watched.finish("", "")));
        assert!(outcome.ended && outcome.saved > 0);
    }
}
