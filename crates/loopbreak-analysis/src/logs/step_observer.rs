//! Observers of the steps of a log.

use loopbreak::{Step, Verdict};

/// Receives the steps of one log in their order, each with the verdict of the guard of its run.
pub trait StepObserver: Send {
    /// Receives the next step of a run.
    fn observe(&mut self, run: &str, step: &Step<'_>, verdict: &Verdict);
}

/// Ignores every step.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl StepObserver for NoObserver {
    fn observe(&mut self, _: &str, _: &Step<'_>, _: &Verdict) {}
}
