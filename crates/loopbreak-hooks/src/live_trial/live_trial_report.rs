//! The course of a trial.

use std::path::PathBuf;
use std::time::Duration;

/// The course of a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LiveTrialReport {
    /// The program that was started.
    pub program: PathBuf,
    /// The requests of the agent to the model.
    pub requests: usize,
    /// The calls that the model made.
    pub calls: usize,
    /// The call after which advice reached the model.
    pub told: Option<usize>,
    /// The call that was refused.
    pub refused: Option<usize>,
    /// The agent has called the hook, whatever it did with the answer.
    pub has_called_hook: bool,
    /// The ending.
    pub ending: LiveTrialEnding,
    /// The duration.
    pub took: Duration,
    /// The last words of the agent on standard output and standard error.
    pub output: String,
}

/// The ending of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LiveTrialEnding {
    /// The agent ended by itself.
    Finished,
    /// The time was used up.
    TimedOut,
    /// The user wanted it to end.
    Interrupted,
}

impl LiveTrialReport {
    /// Returns whether the agent was told and refused.
    pub fn is_correct(&self) -> bool {
        self.told.is_some() && self.refused.is_some()
    }

    /// Describes what went wrong. `None` if nothing did.
    pub fn fault(&self) -> Option<&'static str> {
        Some(match (self.ending, self.requests, self.has_called_hook) {
            _ if self.is_correct() => return None,
            (LiveTrialEnding::Interrupted, ..) => "interrupted",
            (_, 0, _) => "the agent did not ask the model anything",
            (LiveTrialEnding::TimedOut, ..) => "the agent did not end in time",
            (LiveTrialEnding::Finished, _, false) => "the agent did not call the hook",
            (LiveTrialEnding::Finished, _, true) if self.told.is_none() => {
                "the agent called the hook, but no advice reached the model"
            }
            (LiveTrialEnding::Finished, _, true) => "advice reached the model, but no call was refused",
        })
    }
}
