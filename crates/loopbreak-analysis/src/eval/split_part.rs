//! The part of a split that is evaluated.

use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::eval_report::LeftOutRuns;
use super::evaluate::EvalSample;
use super::label_selection::LabelSelection;
use super::run_split::{RunSplit, SplitError, SplitRemainder};

/// The part of a split that is evaluated.
#[derive(Clone, Debug)]
pub struct SplitPart {
    split: RunSplit,
    part: String,
    file: PathBuf,
}

/// The reason why a part of a split cannot be evaluated.
#[derive(Debug)]
#[non_exhaustive]
pub enum SplitPartError {
    /// The split file cannot be read.
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// The split cannot be used, or does not have the part.
    Unusable {
        /// The file.
        file: PathBuf,
        /// The cause.
        error: SplitError,
    },
    /// None of the runs is in the part.
    NoRun {
        /// The file.
        file: PathBuf,
        /// The part.
        part: String,
    },
}

impl SplitPart {
    /// Reads the split file. An unknown part is an error before the logs are read, which may take long.
    pub fn read(file: &Path, part: &str) -> Result<Self, SplitPartError> {
        let text = fs::read_to_string(file)
            .map_err(|error| SplitPartError::Unreadable { file: file.to_owned(), error })?;
        let split = RunSplit::parse(&text)
            .map_err(|error| SplitPartError::Unusable { file: file.to_owned(), error })?;
        let part = SplitPart { split, part: part.to_owned(), file: file.to_owned() };
        part.keep(&mut Vec::new())?;
        Ok(part)
    }

    /// Keeps the runs of the part.
    pub fn keep(&self, samples: &mut Vec<EvalSample>) -> Result<SplitRemainder, SplitPartError> {
        let read = samples.len();
        let kept = self.split.keep(&self.part, samples, |sample| (&sample.report.source, &sample.report.run));
        let remainder = kept.map_err(|error| SplitPartError::Unusable { file: self.file.clone(), error })?;
        if samples.is_empty() && read > 0 {
            return Err(SplitPartError::NoRun { file: self.file.clone(), part: self.part.clone() });
        }
        Ok(remainder)
    }
}

impl SplitRemainder {
    /// Adds the runs outside of the part to those that are left out. Their labels have a run, even if it does not take
    /// part.
    pub fn add_to(&self, left_out: &mut LeftOutRuns, selection: Option<&LabelSelection>) {
        left_out.other_part_runs = self.other_part;
        left_out.runs_without_part = self.unnamed;
        if let Some(selection) = selection {
            let ids: HashSet<&String> = self.runs.iter().collect();
            let labelled = ids.into_iter().filter(|run| selection.labels.get(run).is_some()).count() as u64;
            left_out.labels_without_run = left_out.labels_without_run.saturating_sub(labelled);
        }
    }
}

impl SplitPartError {
    /// Returns a hint on how to fix the problem.
    pub fn hint(&self) -> String {
        match self {
            SplitPartError::Unreadable { .. } => {
                "--split takes a text file with one JSON object per line".to_owned()
            }
            SplitPartError::Unusable { error: SplitError::Line { .. }, .. } => {
                "use one JSON object per line, such as {\"set\":\"web\",\"run\":\"ep-7\",\"part\":\"look\"}"
                    .to_owned()
            }
            SplitPartError::Unusable { file, error: SplitError::UnknownPart { known, .. } } => {
                if known.is_empty() {
                    format!("{} is empty", file.display())
                } else {
                    format!("its parts are {}", known.join(", "))
                }
            }
            SplitPartError::NoRun { .. } => {
                "a run is found by the name of its log without the ending (\"set\") and its id (\"run\"), or by the \
                 name of its log (\"file\")"
                    .to_owned()
            }
        }
    }

    /// Returns whether the options are wrong, and not a file.
    pub fn is_usage_error(&self) -> bool {
        matches!(self, SplitPartError::Unusable { error: SplitError::UnknownPart { .. }, .. })
    }
}

impl fmt::Display for SplitPartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SplitPartError::Unreadable { file, error } => {
                write!(f, "cannot read the split file {}: {error}", file.display())
            }
            SplitPartError::Unusable { error: error @ SplitError::UnknownPart { .. }, .. } => {
                write!(f, "--part: {error}")
            }
            SplitPartError::Unusable { file, error } => write!(f, "{}:{error}", file.display()),
            SplitPartError::NoRun { file, part } => {
                write!(f, "no run is in the part {part:?} of {}", file.display())
            }
        }
    }
}

impl std::error::Error for SplitPartError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eval_an_unknown_part_is_an_error_before_logs_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("split.jsonl");
        fs::write(&file, "{\"set\":\"web\",\"run\":\"a\",\"part\":\"look\"}\n").unwrap();
        assert!(SplitPart::read(&file, "look").is_ok());
        let error = SplitPart::read(&file, "test").unwrap_err();
        assert_eq!(
            (error.to_string().as_str(), error.is_usage_error()),
            ("--part: the split has no part \"test\"", true)
        );
        assert_eq!(error.hint(), "its parts are look");
        fs::write(&file, "").unwrap();
        assert!(SplitPart::read(&file, "look").unwrap_err().hint().ends_with("split.jsonl is empty"));
        let missing = SplitPart::read(&folder.path().join("none"), "look").unwrap_err();
        assert!(!missing.is_usage_error() && missing.to_string().starts_with("cannot read the split file"));
    }

    #[test]
    fn eval_labels_of_runs_outside_of_the_part_have_a_run() {
        let mut selection = LabelSelection::default();
        selection.labels.add("{\"run\":\"a\"}\n{\"run\":\"b\"}").unwrap();
        let runs = vec!["a".to_owned(), "a".to_owned(), "c".to_owned()];
        let remainder = SplitRemainder { other_part: 2, unnamed: 1, runs };
        let mut left_out = LeftOutRuns { labels_without_run: 2, ..LeftOutRuns::default() };
        remainder.add_to(&mut left_out, Some(&selection));
        assert_eq!((left_out.other_part_runs, left_out.runs_without_part), (2, 1));
        assert_eq!(left_out.labels_without_run, 1, "the label of b");
    }
}
