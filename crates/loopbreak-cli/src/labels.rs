//! Label files, shared by the commands that use labels.

use std::path::PathBuf;

use clap::Args;
use loopbreak_analysis::eval::{LabelFileError, LabelSelection, SelectionError};
use loopbreak_trace::{InputSet, expand_paths};

use crate::error::UserError;

/// Options for labels, shared by the commands that use them.
#[derive(Debug, Args)]
pub(crate) struct LabelArgs {
    /// Labels of the runs, one JSON object per line with the id in `run`; can be repeated
    #[arg(long, value_name = "FILE")]
    labels: Vec<PathBuf>,
    /// Condition for positive runs, such as `labels.reward<0.5 and success=false`
    ///
    /// A condition is a dotted path, an operator (>=, <=, >, <, = or !=) and a value. A path alone is true
    /// unless its value is false, zero or empty. A list is compared by its length, text as text. ` and `
    /// joins conditions. Runs without the path are ignored.
    #[arg(long, value_name = "EXPR", requires = "labels")]
    positive: Option<String>,
    /// Use only runs that meet this condition, such as `labels.checked=true`; same syntax as --positive
    #[arg(long = "where", value_name = "EXPR", requires = "labels")]
    only: Option<String>,
}

impl LabelArgs {
    /// Reads the labels and the conditions. Returns `None` if there are no labels.
    pub(crate) fn read(&self) -> Result<Option<LabelSelection>, UserError> {
        Ok(LabelSelection::read(&self.labels, self.positive.as_deref(), self.only.as_deref())?)
    }

    /// Returns the logs at these paths. Skips label files, which may be in the same folders.
    pub(crate) fn find_logs(&self, paths: &[PathBuf]) -> InputSet {
        let mut inputs = expand_paths(paths);
        inputs.skip(&self.labels);
        inputs
    }

    /// Returns all files that are read: logs and label files.
    pub(crate) fn find_logs_and_labels(&self, paths: &[PathBuf]) -> InputSet {
        expand_paths([paths, &self.labels].concat())
    }
}

impl From<SelectionError> for UserError {
    fn from(error: SelectionError) -> Self {
        let (message, hint) = (error.to_string(), error.hint());
        let error = match error {
            SelectionError::NoRunLabelled { .. } => UserError::failed(message),
            _ => UserError::usage(message),
        };
        error.hint(hint)
    }
}

impl From<LabelFileError> for UserError {
    fn from(error: LabelFileError) -> Self {
        let message = error.to_string();
        let is_usage = error.is_usage_error();
        if is_usage { UserError::usage(message) } else { UserError::failed(message) }.hint(error.hint())
    }
}
