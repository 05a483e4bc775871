//! What can go wrong with somebody who plays or judges: a model can be slow, broken, or unwilling.

use std::fmt;

use thiserror::Error;

/// In which way it went wrong. Its name stands in journals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// No answer in time.
    Timeout,
    /// Nobody there to be asked.
    Unreachable,
    /// Asked too often.
    RateLimited,
    /// The server failed.
    ServerError,
    /// The request itself is not taken: a wrong key, no such model. Asking again does not help.
    Denied,
    /// The model does not want to.
    Refusal,
    /// An answer with nothing in it.
    Empty,
    /// An answer that is none.
    Malformed,
    /// More of an answer than is taken in.
    TooLarge,
    /// The program that was asked has ended. Asking again does not help.
    Ended,
    /// The player has left. That is no failure of a model.
    Left,
}

impl FailureKind {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            FailureKind::Timeout => "timeout",
            FailureKind::Unreachable => "unreachable",
            FailureKind::RateLimited => "rate_limited",
            FailureKind::ServerError => "server_error",
            FailureKind::Denied => "denied",
            FailureKind::Refusal => "refusal",
            FailureKind::Empty => "empty",
            FailureKind::Malformed => "malformed",
            FailureKind::TooLarge => "too_large",
            FailureKind::Ended => "ended",
            FailureKind::Left => "left",
        }
    }

    /// Whether it makes no sense to ask again.
    pub fn is_final(self) -> bool {
        matches!(self, FailureKind::Denied | FailureKind::Ended | FailureKind::Left)
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Why there is no proposal, or no opinion.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct AgentFailure {
    /// In which way it went wrong.
    pub kind: FailureKind,
    /// In words, without secrets.
    pub message: String,
}

impl AgentFailure {
    /// A failure of this kind.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        AgentFailure { kind, message: message.into() }
    }
}
