//! The error of a chore.

/// The message is for a person: what was being done, and what came of it.
#[derive(Debug)]
pub(crate) enum ChoreFailure {
    /// A step did not succeed.
    Failed(String),
    /// The command line is wrong.
    Usage(String),
}

impl ChoreFailure {
    /// Describes an input or output error, with the operation that failed.
    pub(crate) fn io(doing: impl std::fmt::Display, error: &std::io::Error) -> Self {
        Self::Failed(format!("cannot {doing}: {error}"))
    }

    /// Puts the subject in front of the message.
    pub(crate) fn about(self, subject: impl std::fmt::Display) -> Self {
        match self {
            Self::Failed(message) => Self::Failed(format!("{subject}: {message}")),
            Self::Usage(message) => Self::Usage(format!("{subject}: {message}")),
        }
    }
}
