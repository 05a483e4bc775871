//! Files of labels, for all commands that judge by them.

use std::fs;
use std::path::PathBuf;

use clap::Args;
use loopbreak_analysis::eval::{LabelCondition, LabelSelection, RunLabels, SelectionError};
use loopbreak_trace::{InputSet, expand_paths};

use crate::error::UserError;

/// Labels, and which runs count: for all commands that judge by labels.
#[derive(Debug, Args)]
pub(crate) struct LabelArgs {
    /// What is known of the runs, one JSON object a line, with the id under `run`; may be given again
    #[arg(long, value_name = "FILE")]
    labels: Vec<PathBuf>,
    /// Which runs are positive, as in `labels.reward<0.5 and success=false`
    ///
    /// A path by dots, then >=, <=, >, <, = or != and a value; a path alone holds if it is true, not zero or not empty. A
    /// list counts as its length, and texts compare as texts. Conditions are joined by ` and `. Runs without the path are
    /// left out.
    #[arg(long, value_name = "EXPR", requires = "labels")]
    positive: Option<String>,
    /// Look only at runs for which this holds, as in `labels.checked=true`; written as --positive is
    #[arg(long = "where", value_name = "EXPR", requires = "labels")]
    only: Option<String>,
}

impl LabelArgs {
    /// Reads the labels and the conditions; nothing where there are none.
    pub(crate) fn read(&self) -> Result<Option<LabelSelection>, UserError> {
        let parse = |option: &str, text: Option<&str>| {
            let parsed = text.map(LabelCondition::parse).transpose();
            parsed.map_err(|error| {
                UserError::usage(format!("{option}: {error}")).hint(
                    "write a path by dots, an operator and a value, as in: labels.reward<0.5 and success=false",
                )
            })
        };
        let positive = parse("--positive", self.positive.as_deref())?;
        let only = parse("--where", self.only.as_deref())?;
        if self.labels.is_empty() {
            return Ok(None);
        }
        if positive.is_none() && only.is_none() {
            return Err(UserError::usage(
                "--labels without --positive or --where: nothing is asked of the labels",
            )
            .hint("say which runs ought to be seen, as in: --positive success=false"));
        }
        Ok(Some(LabelSelection { labels: self.read_files()?, positive, only }))
    }

    fn read_files(&self) -> Result<RunLabels, UserError> {
        let mut labels = RunLabels::default();
        for file in &self.labels {
            let name = file.display();
            let text = fs::read_to_string(file).map_err(|error| {
                UserError::failed(format!("cannot read the labels {name}: {error}"))
                    .hint("--labels names a text file with one JSON object a line")
            })?;
            labels.add(&text).map_err(|error| {
                let hint = if error.reason.contains("labelled before") {
                    "keep one of the two lines: nobody can tell which of them is right"
                } else {
                    "labels are one JSON object a line, with the id of the run under \"run\""
                };
                UserError::failed(format!("{name}:{error}")).hint(hint)
            })?;
        }
        Ok(labels)
    }

    /// The logs at these paths. Files of labels may lie among them, and are not logs.
    pub(crate) fn logs(&self, paths: &[PathBuf]) -> InputSet {
        let mut expansion = expand_paths(paths);
        let labels: Vec<_> = self.labels.iter().filter_map(|file| fs::canonicalize(file).ok()).collect();
        expansion.inputs.retain(|input| {
            let real = input.path().and_then(|path| fs::canonicalize(path).ok());
            real.is_none_or(|real| !labels.contains(&real))
        });
        expansion
    }

    /// All files that are read: the logs and the labels.
    pub(crate) fn logs_and_labels(&self, paths: &[PathBuf]) -> InputSet {
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
