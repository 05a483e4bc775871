//! Errors of signals to stored runs.

use loopbreak_store::{StateError, StoreError};

use crate::group_refusal::GroupRefusal;

/// The reason why the agent of a run got no signal.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SignalError {
    /// No hook and no runner has recorded a process.
    #[error("the process of this run is not known")]
    UnknownProcess,
    /// The run is not paused.
    #[error("this run is not paused")]
    NotPaused,
    /// The run is paused already.
    #[error("this run is paused already")]
    AlreadyPaused,
    /// The process group is not certain to be the agent's.
    #[error(transparent)]
    Refused(#[from] GroupRefusal),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The state of the run cannot be written.
    #[error(transparent)]
    State(#[from] StateError),
}

impl SignalError {
    /// Returns what the user can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            SignalError::UnknownProcess => {
                Some("hooks (`loopbreak hook install`) and `loopbreak run` record the process of their agent")
            }
            SignalError::Refused(GroupRefusal::AlreadyStopped { .. }) => {
                Some("it was stopped in its terminal; type `fg` there")
            }
            SignalError::Refused(GroupRefusal::ForeignMember { .. } | GroupRefusal::OtherLeader { .. }) => {
                Some(
                    "start the agent by itself, without a pipe or a script around it, to give it a group of its own",
                )
            }
            _ => None,
        }
    }
}
