//! Label files, shared by the commands that use labels.

use std::fs;
use std::path::PathBuf;

use clap::Args;
use loopbreak_analysis::eval::{LabelCondition, LabelSelection, RunLabels, SelectionError};
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
        let parse = |option: &str, text: Option<&str>| {
            let parsed = text.map(LabelCondition::parse).transpose();
            parsed.map_err(|error| {
                UserError::usage(format!("{option}: {error}")).hint(
                    "use a dotted path, an operator and a value, such as labels.reward<0.5 and success=false",
                )
            })
        };
        let positive = parse("--positive", self.positive.as_deref())?;
        let only = parse("--where", self.only.as_deref())?;
        if self.labels.is_empty() {
            return Ok(None);
        }
        if positive.is_none() && only.is_none() {
            return Err(UserError::usage("--labels without --positive or --where: the labels are not used")
                .hint("say which runs are positive, for example --positive success=false"));
        }
        Ok(Some(LabelSelection { labels: self.read_files()?, positive, only }))
    }

    fn read_files(&self) -> Result<RunLabels, UserError> {
        let mut labels = RunLabels::default();
        for file in &self.labels {
            let name = file.display();
            let text = fs::read_to_string(file).map_err(|error| {
                UserError::failed(format!("cannot read the label file {name}: {error}"))
                    .hint("--labels takes a text file with one JSON object per line")
            })?;
            labels.add(&text).map_err(|error| {
                let hint = if error.reason.contains("labelled before") {
                    "remove one of the two lines"
                } else {
                    "use one JSON object per line, with the id of the run in \"run\""
                };
                UserError::failed(format!("{name}:{error}")).hint(hint)
            })?;
        }
        Ok(labels)
    }

    /// Returns the logs at these paths. Skips label files, which may be in the same folders.
    pub(crate) fn find_logs(&self, paths: &[PathBuf]) -> InputSet {
        let mut inputs = expand_paths(paths);
        let labels: Vec<_> = self.labels.iter().filter_map(|file| fs::canonicalize(file).ok()).collect();
        inputs.inputs.retain(|input| {
            let real = input.path().and_then(|path| fs::canonicalize(path).ok());
            real.is_none_or(|real| !labels.contains(&real))
        });
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
