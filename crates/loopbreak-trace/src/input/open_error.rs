//! The error of opening a log.

use std::{fmt, io};

use super::input_set::MAX_DEPTH;
use super::unpack_limit::UnpackLimit;
use crate::log_format::LogFormat;

/// The reason why an input cannot be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// The file does not exist.
    Missing,
    /// The file cannot be read.
    Unreadable(io::Error),
    /// The folder is nested too deep to be searched.
    TooDeep,
    /// The temporary file for idle runs cannot be written. The log itself is readable.
    TemporaryFile(io::Error),
    /// The file is empty.
    Empty,
    /// The file is not text.
    Binary,
    /// The file is a SQLite database of an unknown program.
    UnknownDatabase,
    /// The file is the database of an agent, but has no sessions.
    EmptyDatabase,
    /// The text is encoded as UTF-16.
    Utf16,
    /// The text is not in any known log format.
    Unknown,
    /// The text is not in the requested log format.
    WrongFormat(LogFormat),
}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::NotFound {
            OpenError::Missing
        } else {
            OpenError::Unreadable(error)
        }
    }
}

impl OpenError {
    /// Returns whether the input could be read, but is not a log. Folders may contain such files.
    pub fn is_not_a_log(&self) -> bool {
        !matches!(
            self,
            OpenError::Missing | OpenError::Unreadable(_) | OpenError::TooDeep | OpenError::TemporaryFile(_)
        )
    }

    /// Returns whether the input is a log without content. That is unusual, but not an error.
    pub fn is_empty_log(&self) -> bool {
        matches!(self, OpenError::Empty | OpenError::EmptyDatabase)
    }

    /// Returns a hint on how to fix the problem.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            OpenError::Missing => Some("check the path, or give the folder that contains the logs"),
            OpenError::Unreadable(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                Some("check the permissions of the file")
            }
            OpenError::Unreadable(error) if UnpackLimit::is_cause_of(error) => {
                Some("if you trust the file, unpack it first, or raise the limit with --max-unpacked")
            }
            OpenError::TooDeep => Some("name a folder further down"),
            OpenError::TemporaryFile(_) => Some("set TMPDIR to a folder with more space"),
            OpenError::Unreadable(_) | OpenError::Empty | OpenError::EmptyDatabase => None,
            OpenError::Binary => Some(
                "give a log in text form: decompress an archive first; give a database by its path, not as a stream",
            ),
            OpenError::UnknownDatabase => {
                Some("opencode.db is the only database that is read; export other sessions as text")
            }
            OpenError::Utf16 => Some("convert it to UTF-8, for example with iconv -f UTF-16 -t UTF-8"),
            OpenError::Unknown => {
                Some("run loopbreak formats to list the known formats; --format NAME selects one")
            }
            OpenError::WrongFormat(_) => Some("omit --format to detect the format from the content"),
        }
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Missing => f.write_str("no such file or folder"),
            OpenError::Unreadable(error) => match error.kind() {
                io::ErrorKind::PermissionDenied => f.write_str("cannot be read: permission denied"),
                _ => write!(f, "cannot be read: {error}"),
            },
            OpenError::TooDeep => {
                write!(f, "the folder is more than {MAX_DEPTH} levels deep; not searched further")
            }
            OpenError::TemporaryFile(error) => {
                write!(f, "cannot write to the temporary folder {}: {error}", std::env::temp_dir().display())
            }
            OpenError::Empty => f.write_str("the file is empty"),
            OpenError::Binary => f.write_str("not a log: the file is binary"),
            OpenError::UnknownDatabase => f.write_str("not a log: a SQLite database of another program"),
            OpenError::EmptyDatabase => f.write_str("the database has no sessions"),
            OpenError::Utf16 => f.write_str("unsupported encoding: UTF-16"),
            OpenError::Unknown => {
                f.write_str("not a log: no known format matches; tried")?;
                for (index, format) in LogFormat::all().enumerate() {
                    write!(f, "{} {format}", if index == 0 { "" } else { "," })?;
                }
                Ok(())
            }
            OpenError::WrongFormat(format) => write!(f, "not a log in the format {format}"),
        }
    }
}
