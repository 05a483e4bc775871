//! Failures of players and critics: a model can be slow, broken, or unwilling.

use std::fmt;

use thiserror::Error;

/// The kind of a failure. Its name is written to journals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FailureKind {
    /// No answer in time.
    Timeout,
    /// The endpoint cannot be reached.
    Unreachable,
    /// Too many requests.
    RateLimited,
    /// The server failed.
    ServerError,
    /// The request was rejected, for example because of a wrong key or an unknown model. A retry does not help.
    Denied,
    /// The model refused to answer.
    Refusal,
    /// The answer is empty.
    Empty,
    /// The answer cannot be understood.
    Malformed,
    /// The answer is larger than the limit.
    TooLarge,
    /// The program has ended. A retry does not help.
    Ended,
    /// The player left the game. This is not a failure of a model.
    Left,
}

impl FailureKind {
    /// Returns the name.
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

    /// Returns whether a retry is pointless.
    pub fn is_final(self) -> bool {
        matches!(self, FailureKind::Denied | FailureKind::Ended | FailureKind::Left)
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The reason why there is no proposal, or no opinion.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct AgentFailure {
    /// Kind of the failure.
    pub kind: FailureKind,
    /// Message, without secrets.
    pub message: String,
}

impl AgentFailure {
    /// Creates a failure of this kind.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        AgentFailure { kind, message: message.into() }
    }
}
