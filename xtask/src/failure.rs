//! How a chore ends when it does not end well.

/// The message is for a person: what was being done, and what came of it.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A step did not succeed.
    Failed(String),
    /// The command line makes no sense.
    Usage(String),
}

impl Failure {
    /// An input or output error, with what was being done.
    pub(crate) fn io(doing: impl std::fmt::Display, error: &std::io::Error) -> Self {
        Self::Failed(format!("cannot {doing}: {error}"))
    }

    /// The same, with what it happened to in front.
    pub(crate) fn about(self, subject: impl std::fmt::Display) -> Self {
        match self {
            Self::Failed(message) => Self::Failed(format!("{subject}: {message}")),
            Self::Usage(message) => Self::Usage(format!("{subject}: {message}")),
        }
    }
}
