//! An option of an untrusted file that was not applied.

use std::fmt;

use crate::source::ValueOrigin;

/// An option of an untrusted file that was not applied.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct IgnoredOption {
    /// The option, or the problem if it is not about a known option.
    pub option: String,
    /// The value that the file sets, if the option is known.
    pub value: Option<String>,
    /// The reason.
    pub reason: String,
    /// The place where the file sets it.
    pub origin: ValueOrigin,
}

impl fmt::Display for IgnoredOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.origin, self.option)?;
        if let Some(value) = &self.value {
            write!(f, " = {value}")?;
        }
        write!(f, ": {}", self.reason)
    }
}
