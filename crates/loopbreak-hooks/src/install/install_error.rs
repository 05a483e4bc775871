//! The reasons why hooks cannot be installed or removed.

use std::io;
use std::path::Path;

/// The reason why hooks cannot be installed or removed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// The home folder of the user is unknown.
    #[error("the variable HOME is not set")]
    NoHome,
    /// The path of this program is unknown.
    #[error("cannot find this program: {0}")]
    NoProgram(io::Error),
    /// The path of this program cannot be written into settings.
    #[error("the path of this program is not Unicode: {0}")]
    NotUnicode(String),
    /// The settings cannot be read.
    #[error("cannot read {path}: {error}")]
    Read {
        /// The file.
        path: String,
        /// The cause.
        error: io::Error,
    },
    /// The settings have an unexpected form, so nothing was changed.
    #[error("cannot change {path}: {reason}")]
    Unchangeable {
        /// The file.
        path: String,
        /// The cause.
        reason: String,
    },
    /// A file or folder cannot be written.
    #[error("cannot write {path}: {error}")]
    Write {
        /// The file.
        path: String,
        /// The cause.
        error: io::Error,
    },
}

impl InstallError {
    /// Returns a hint for the user.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            InstallError::NoHome => Some("use --project"),
            InstallError::Unchangeable { .. } => Some("nothing was changed; fix the file first"),
            _ => None,
        }
    }

    pub(super) fn write(path: &Path, error: io::Error) -> Self {
        InstallError::Write { path: path.display().to_string(), error }
    }
}
