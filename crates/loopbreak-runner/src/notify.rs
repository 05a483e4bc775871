//! Notification of others when a run ends or needs a human.

use std::fmt;

use loopbreak::{Act, Step, Verdict};

/// An intervention to notify others of.
#[derive(Clone, Copy, Debug)]
pub struct RunNotice<'n> {
    /// The name of the run.
    pub run: &'n str,
    /// The command on one line, secrets masked.
    pub command: &'n str,
    /// The step that led to it.
    pub step: &'n Step<'n>,
    /// The verdict on that step.
    pub verdict: &'n Verdict,
    /// The intervention.
    pub act: &'n Act,
}

/// Receives the interventions that end a run or need a human.
pub trait RunNotifier: fmt::Debug {
    /// Passes on an intervention. Returns warnings for the user.
    fn notify(&mut self, notice: &RunNotice<'_>) -> Vec<String>;

    /// Waits until everything is passed on. Returns warnings for the user.
    fn finish(&mut self) -> Vec<String>;
}
