//! The origin of a value.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use loopbreak::Profile;

/// The origin of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValueOrigin {
    /// The defaults of a profile.
    Profile(Profile),
    /// A task preset, by its name.
    Preset(String),
    /// A configuration file.
    File(SourceLocation),
    /// An environment variable.
    Environment {
        /// Name of the variable.
        variable: String,
        /// Value of the variable.
        value: String,
    },
    /// A flag on the command line, as it was given.
    Flag(String),
}

/// A location in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourceLocation {
    /// Name of the file.
    pub file: Arc<str>,
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// Bytes of the text.
    pub span: Range<usize>,
    /// The legacy key that was used, if any.
    pub legacy_key: Option<&'static str>,
}

impl ValueOrigin {
    /// Returns the precedence of the layer: the highest one wins.
    pub(crate) fn rank(&self) -> u8 {
        match self {
            ValueOrigin::Profile(_) => 0,
            ValueOrigin::Preset(_) => 1,
            ValueOrigin::File(location) if location.legacy_key.is_some() => 2,
            ValueOrigin::File(_) => 3,
            ValueOrigin::Environment { .. } => 4,
            ValueOrigin::Flag(_) => 5,
        }
    }

    /// Returns whether the value was set by the user and is not a default.
    pub fn is_set(&self) -> bool {
        !matches!(self, ValueOrigin::Profile(_) | ValueOrigin::Preset(_))
    }

    /// Returns the location in the file, if the value comes from one.
    pub fn location(&self) -> Option<&SourceLocation> {
        if let ValueOrigin::File(location) = self { Some(location) } else { None }
    }

    /// Returns the legacy key that set the value, if any.
    pub(crate) fn legacy_key(&self) -> Option<&'static str> {
        self.location().and_then(|location| location.legacy_key)
    }
}

impl fmt::Display for ValueOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueOrigin::Profile(profile) => write!(f, "profile {}", profile.as_str()),
            ValueOrigin::Preset(preset) => write!(f, "preset {preset}"),
            ValueOrigin::File(location) => write!(f, "{location}"),
            ValueOrigin::Environment { variable, .. } => f.write_str(variable),
            ValueOrigin::Flag(flag) => f.write_str(flag),
        }
    }
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)?;
        self.legacy_key.map_or(Ok(()), |key| write!(f, " ({key})"))
    }
}
