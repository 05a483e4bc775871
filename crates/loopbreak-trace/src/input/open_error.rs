//! Why an input cannot be read.

use std::{fmt, io};

use crate::log_format::LogFormat;

/// Why something is not read.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// There is no such file.
    Missing,
    /// It cannot be read.
    Unreadable(io::Error),
    /// There is nothing in it.
    Empty,
    /// It is no text.
    Binary,
    /// It is text of 16 bits a character.
    Utf16,
    /// It is text, but no known log.
    Unknown,
    /// It is text, but no log of the format that was asked for.
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
    /// Whether it could be read, and is simply no log. Folders may hold such files.
    pub fn is_not_a_log(&self) -> bool {
        !matches!(self, OpenError::Missing | OpenError::Unreadable(_))
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            OpenError::Missing => Some("check the path, or name the folder that the logs are in"),
            OpenError::Unreadable(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                Some("check who may read it")
            }
            OpenError::Unreadable(_) | OpenError::Empty => None,
            OpenError::Binary => Some("name a log in text form; unpack it first if it is packed"),
            OpenError::Utf16 => Some("write it as UTF-8, for instance with iconv -f UTF-16 -t UTF-8"),
            OpenError::Unknown => {
                Some("loopbreak formats lists what is read; --format NAME reads it as one of them")
            }
            OpenError::WrongFormat(_) => Some("leave out --format to let the content decide"),
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
            OpenError::Empty => f.write_str("empty, so there are no steps"),
            OpenError::Binary => f.write_str("not a log: it holds NUL bytes, so it is no text"),
            OpenError::Utf16 => f.write_str("not readable as it is: the text is UTF-16"),
            OpenError::Unknown => {
                f.write_str("not a log: nothing near its beginning is known; tried")?;
                for (index, format) in LogFormat::all().enumerate() {
                    write!(f, "{} {format}", if index == 0 { "" } else { "," })?;
                }
                Ok(())
            }
            OpenError::WrongFormat(format) => write!(f, "not a log of the format {format}"),
        }
    }
}
