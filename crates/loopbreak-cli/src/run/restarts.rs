//! Runs before this one, with the same command and prompt: where they died young one after the other, whatever starts them
//! is stuck, and each of them by itself cannot see it.

use loopbreak::{EpochMillis, Outcome, RunSummary, Series, Step};
use loopbreak_store::{Event, Run};
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

use super::course::Course;
use super::keep::say;
use crate::exit;

/// How many runs before this one are looked at.
const RUNS: usize = 20;

impl Course<'_> {
    /// Tells of runs that died young before this one begins. What starts the runs is not ours to stop.
    pub(super) fn look_back(&mut self) {
        self.kept.prompt = format!("{:016x}", xxh3_64(self.prompt.last().as_bytes()));
        let mut series = Series::new(self.config.clone());
        let mut warning = None;
        for (run, events) in self.keeper.earlier(&self.kept, RUNS) {
            let verdict = series.conclude(&self.summary(&run, &events));
            // Told once by the engine; here it holds until a run lives.
            warning = match verdict.decisions.into_iter().find(|act| act.enforced) {
                Some(act) => Some(act.reason),
                None => warning.filter(|_| !verdict.sighted.is_empty()),
            };
        }
        if let Some(reason) = warning {
            say(&format!("warning: {reason}"));
        }
    }

    fn summary(&self, run: &Run, events: &[Event]) -> RunSummary {
        let mut summary = RunSummary::new(&self.config, run.session.as_str());
        let prompt = match self.prompt.last().trim() {
            "" => format!("the command {}", self.command()),
            prompt => prompt.to_owned(),
        };
        let step = |at: i64| Step { at: Some(EpochMillis(at)), ..Step::default() };
        summary.observe(&Step { user: Some(prompt.into()), ..step(run.started) });
        for event in events {
            let detail: Value = serde_json::from_str(&event.detail).unwrap_or_default();
            let text = detail["action"].as_str().unwrap_or_default();
            if event.kind == "step" {
                let error = detail["error"] == true;
                let outcome = Some(Outcome { text: Some(text.into()), error });
                summary.observe(&Step { outcome, ..step(event.at) });
            }
            // Whoever pressed Ctrl-C was there.
            let interrupted = event.kind == "end" && detail["code"] == exit::INTERRUPTED;
            if interrupted || event.kind == "task" {
                summary.observe(&Step { user: Some(text.into()), ..step(event.at) });
            }
        }
        summary
    }
}
