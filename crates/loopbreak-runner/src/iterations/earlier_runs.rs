//! Earlier runs with the same command and prompt. If they ended early one after the other, the program that
//! starts them is stuck, and no single run can detect it.

use loopbreak::{Outcome, Series, Step, series::RunSummary, step::EpochMillis};
use loopbreak_store::{Run, RunEvent, StoredEvent};
use xxhash_rust::xxh3::xxh3_64;

use crate::iterations::run_loop::RunLoop;
use loopbreak_report::exit;

/// The number of earlier runs that are considered.
const MAX_RUNS: usize = 20;

impl RunLoop<'_> {
    /// Warns before this run begins if earlier runs ended early. It only warns: the program that starts the
    /// runs cannot be stopped from here.
    pub(crate) fn warn_about_earlier_runs(&mut self) {
        self.runner_state.prompt = format!("{:016x}", xxh3_64(self.prompt.current().as_bytes()));
        let mut series = Series::new(self.config.clone());
        let mut warning = None;
        for (run, events) in self.recorder.earlier_runs(&self.runner_state, MAX_RUNS) {
            let verdict = series.conclude(&self.summarize(&run, &events));
            // The engine reports it once. Here it stays until a run lives longer.
            warning = match verdict.decisions.into_iter().find(|decision| decision.enforced) {
                Some(decision) => Some(decision.reason),
                None => warning.filter(|_| !verdict.sighted.is_empty()),
            };
        }
        if let Some(reason) = warning {
            self.observer.warning(&reason.clone());
        }
    }

    fn summarize(&self, run: &Run, events: &[StoredEvent]) -> RunSummary {
        let mut summary = RunSummary::new(&self.config, run.session.as_str());
        let prompt = match self.prompt.current().trim() {
            "" => format!("the command {}", self.command_text()),
            prompt => prompt.to_owned(),
        };
        let step = |at: i64| Step { at: Some(EpochMillis(at)), ..Step::default() };
        summary.observe(&Step { user: Some(prompt.into()), ..step(run.started) });
        for StoredEvent { at, event, .. } in events {
            let text = event.headline().unwrap_or_default();
            match event {
                RunEvent::Step(_) => {
                    let outcome = Some(Outcome::new(text).with_error(event.is_failure()));
                    summary.observe(&Step { outcome, ..step(*at) });
                }
                RunEvent::Task(_) => {
                    summary.observe(&Step { user: Some(text.into()), ..step(*at) });
                }
                // Ctrl-C means that a user was present.
                RunEvent::End(end) if end.code == Some(exit::INTERRUPTED) => {
                    summary.observe(&Step { user: Some(text.into()), ..step(*at) });
                }
                _ => {}
            }
        }
        summary
    }
}
