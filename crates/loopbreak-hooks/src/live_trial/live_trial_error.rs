//! The reasons why a trial cannot be made.

use std::io;

/// The reason why a trial cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LiveTrialError {
    /// Nobody knows how to point the agent at another model.
    #[error("a live trial of {0} is not possible: there is no way to give it a scripted model")]
    UnknownAgent(&'static str),
    /// The program of the agent is not there.
    #[error("`{0}` is not on the PATH")]
    NoProgram(&'static str),
    /// The system has no process groups.
    #[error("a live trial needs process groups, which this system does not have")]
    NoProcessGroups,
    /// The hooks cannot be installed in the temporary home folder.
    #[error("cannot install the hooks for the trial: {0}")]
    NotInstalled(String),
    /// Something of the system failed.
    #[error("cannot {action}: {error}")]
    System {
        /// The action that failed.
        action: &'static str,
        /// The cause.
        error: io::Error,
    },
}

impl LiveTrialError {
    /// Returns a function that says which action failed.
    pub(super) fn during(action: &'static str) -> impl Fn(io::Error) -> Self {
        move |error| LiveTrialError::System { action, error }
    }
}
