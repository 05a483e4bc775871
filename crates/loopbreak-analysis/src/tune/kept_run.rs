//! Runs that are kept in memory, to be replayed again and again.

use loopbreak::{Config, Step};

use super::outcome_totals::RunOutcome;
use crate::run::RunAnalysis;

/// A run with all its steps, each as one line of a native log.
#[derive(Clone, Debug)]
pub struct KeptRun {
    /// Its id.
    pub run: String,
    /// Where it was read from.
    pub source: String,
    /// Its steps.
    pub steps: Vec<Box<str>>,
    /// How many of them are turns.
    pub turns: u64,
    /// Whether it is positive, where there are labels.
    pub positive: Option<bool>,
}

impl KeptRun {
    /// A run without steps.
    pub fn new(run: impl Into<String>, source: impl Into<String>) -> Self {
        KeptRun { run: run.into(), source: source.into(), steps: Vec::new(), turns: 0, positive: None }
    }

    /// Keeps a step. Gives the bytes that it takes.
    pub fn keep(&mut self, step: &Step<'_>) -> usize {
        let line = serde_json::to_string(step).unwrap_or_default();
        let bytes = line.len();
        self.turns += u64::from(!step.refused);
        self.steps.push(line.into_boxed_str());
        bytes
    }
}

/// Replays a run under other settings: the same as it would have gone live.
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
