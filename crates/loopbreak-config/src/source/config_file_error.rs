//! Errors while finding or reading a configuration file.

use std::io;

/// An error while finding or reading a configuration file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigFileError {
    /// The path is a directory.
    #[error("{name} is a directory")]
    IsDirectory {
        /// The path as it was given.
        name: String,
    },
    /// The file cannot be read.
    #[error("cannot read {name}: {error}")]
    Unreadable {
        /// The path as it was given.
        name: String,
        /// The cause.
        error: io::Error,
    },
    /// The file is a `pyproject.toml` without options of Loopbreak.
    #[error("{name} has neither [tool.loopbreak] nor [tool.zorkgpt.loop_break]")]
    NoTables {
        /// The path as it was given.
        name: String,
    },
    /// The file is larger than 1 MB.
    #[error("{name} is larger than 1 MB")]
    TooLarge {
        /// The path as it was given.
        name: String,
    },
    /// The file is not UTF-8.
    #[error("{name} is not UTF-8: invalid byte at position {position}")]
    NotUtf8 {
        /// The path as it was given.
        name: String,
        /// Position of the first invalid byte, counted from 1.
        position: usize,
    },
    /// The current directory cannot be determined.
    #[error("cannot find the current directory: {error}")]
    NoCurrentDirectory {
        /// The cause.
        error: io::Error,
    },
}

impl ConfigFileError {
    /// Returns a hint on how to fix the error, if there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            ConfigFileError::IsDirectory { .. } => Some("name a file in it"),
            ConfigFileError::Unreadable { error, .. } if error.kind() == io::ErrorKind::NotFound => {
                Some("`loopbreak config init` writes a new file")
            }
            ConfigFileError::Unreadable { .. } | ConfigFileError::NoCurrentDirectory { .. } => None,
            ConfigFileError::NoTables { .. } => Some("put the options under [tool.loopbreak]"),
            ConfigFileError::TooLarge { .. } => {
                Some("this is probably not a configuration file; check the path")
            }
            ConfigFileError::NotUtf8 { .. } => Some("TOML files are UTF-8: save the file in that encoding"),
        }
    }
}
