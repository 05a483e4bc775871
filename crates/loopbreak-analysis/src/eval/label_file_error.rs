//! The reasons why labels cannot be read.

use std::fmt;
use std::io;
use std::path::PathBuf;

use super::label_condition::LabelConditionError;
use super::run_labels::LabelError;

/// The reason why labels, or the conditions on them, cannot be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum LabelFileError {
    /// A condition cannot be parsed.
    Condition {
        /// The option that has the condition.
        option: &'static str,
        /// The cause.
        error: LabelConditionError,
    },
    /// There are labels, but no condition on them.
    NoCondition,
    /// A file cannot be read.
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// A line of a file cannot be used.
    Line {
        /// The file.
        file: PathBuf,
        /// The line and the cause.
        error: LabelError,
    },
}

impl LabelFileError {
    /// Returns a hint on how to fix the problem.
    pub fn hint(&self) -> &'static str {
        match self {
            LabelFileError::Condition { .. } => {
                "use a dotted path, an operator and a value, such as labels.reward<0.5 and success=false"
            }
            LabelFileError::NoCondition => {
                "say which runs are positive, for example --positive success=false"
            }
            LabelFileError::Unreadable { .. } => "--labels takes a text file with one JSON object per line",
            LabelFileError::Line { error, .. } if error.reason.contains("labelled before") => {
                "remove one of the two lines"
            }
            LabelFileError::Line { .. } => "use one JSON object per line, with the id of the run in \"run\"",
        }
    }

    /// Returns whether the options are wrong, and not a file.
    pub fn is_usage_error(&self) -> bool {
        matches!(self, LabelFileError::Condition { .. } | LabelFileError::NoCondition)
    }
}

impl fmt::Display for LabelFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LabelFileError::Condition { option, error } => write!(f, "{option}: {error}"),
            LabelFileError::NoCondition => {
                f.write_str("--labels without --positive or --where: the labels are not used")
            }
            LabelFileError::Unreadable { file, error } => {
                write!(f, "cannot read the label file {}: {error}", file.display())
            }
            LabelFileError::Line { file, error } => write!(f, "{}:{error}", file.display()),
        }
    }
}

impl std::error::Error for LabelFileError {}
