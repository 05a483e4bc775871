//! Selects the runs that take part, and decides which of them are positive.

use std::collections::HashSet;
use std::fmt;
use std::path::PathBuf;

use serde_json::Value;

use super::eval_report::LeftOutRuns;
use super::label_condition::LabelCondition;
use super::label_file_error::LabelFileError;
use super::run_labels::RunLabels;

/// Number of ids that an error shows.
const SHOWN: usize = 3;

/// Labels, and the conditions on them.
#[derive(Clone, Debug, Default)]
pub struct LabelSelection {
    /// The labels.
    pub labels: RunLabels,
    /// The condition for positive runs.
    pub positive: Option<LabelCondition>,
    /// The condition for runs that take part; all if absent.
    pub only: Option<LabelCondition>,
}

/// The reason why no run is left to compare with.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SelectionError {
    /// None of the runs has a label.
    NoRunLabelled {
        /// Ids of the runs.
        runs: Vec<String>,
        /// Ids that have labels.
        labelled: Vec<String>,
    },
    /// No run matches the condition for runs that take part.
    NoRunSelected(String),
    /// No run can be decided to be positive or negative.
    NoRunDecided(String),
}

impl SelectionError {
    /// Returns a hint on how to fix the problem.
    pub fn hint(&self) -> String {
        match self {
            SelectionError::NoRunLabelled { runs, labelled } => {
                format!("the runs are {}; the labels are for {}", few(runs), few(labelled))
            }
            SelectionError::NoRunSelected(_) => {
                "check the condition: no run has labels for which it holds".to_owned()
            }
            SelectionError::NoRunDecided(_) => {
                "check the path: no run has a label there that can be compared".to_owned()
            }
        }
    }
}

impl fmt::Display for SelectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SelectionError::NoRunLabelled { .. } => f.write_str("none of the runs has a label"),
            SelectionError::NoRunSelected(only) => write!(f, "--where {only:?} matches no run"),
            SelectionError::NoRunDecided(positive) => write!(f, "{positive:?} cannot be decided for any run"),
        }
    }
}

impl std::error::Error for SelectionError {}

impl LabelSelection {
    /// Parses the conditions and reads the label files. Returns `None` if there are no files.
    pub fn read(
        files: &[PathBuf],
        positive: Option<&str>,
        only: Option<&str>,
    ) -> Result<Option<Self>, LabelFileError> {
        let parse = |option, text: Option<&str>| {
            let parsed = text.map(LabelCondition::parse).transpose();
            parsed.map_err(|error| LabelFileError::Condition { option, error })
        };
        let (positive, only) = (parse("--positive", positive)?, parse("--where", only)?);
        if files.is_empty() {
            return Ok(None);
        }
        if positive.is_none() && only.is_none() {
            return Err(LabelFileError::NoCondition);
        }
        Ok(Some(LabelSelection { labels: RunLabels::read(files)?, positive, only }))
    }

    /// Decides for each run whether it is positive, and removes those that cannot be decided and those that do not take
    /// part. `id` returns the id of a run and `set` stores the decision.
    pub fn apply<T>(
        &self,
        runs: &mut Vec<T>,
        id: impl Fn(&T) -> &str,
        set: impl Fn(&mut T, Option<bool>),
    ) -> Result<LeftOutRuns, SelectionError> {
        let ids: Vec<String> = runs.iter().map(|run| id(run).to_owned()).collect();
        let mut left_out = LeftOutRuns::default();
        runs.retain_mut(|run| {
            let Some(labels) = self.labels.get(id(run)) else {
                left_out.unlabelled_runs += 1;
                return false;
            };
            if self.only.as_ref().is_some_and(|only| only.holds(labels) != Some(true)) {
                left_out.excluded_runs += 1;
                return false;
            }
            let Some(condition) = &self.positive else { return true };
            if is_marked_unlabelled(labels) {
                left_out.unlabelled_runs += 1;
                return false;
            }
            let positive = condition.holds(labels);
            left_out.undecided_runs += u64::from(positive.is_none());
            set(run, positive);
            positive.is_some()
        });
        let read: HashSet<&str> = ids.iter().map(String::as_str).collect();
        let labelled = self.labels.runs();
        left_out.labels_without_run = labelled.iter().filter(|run| !read.contains(*run)).count() as u64;
        if left_out.unlabelled_runs == ids.len() as u64 {
            let labelled = labelled.into_iter().map(str::to_owned).collect();
            return Err(SelectionError::NoRunLabelled { runs: ids, labelled });
        }
        if !runs.is_empty() {
            return Ok(left_out);
        }
        let text = |condition: &Option<LabelCondition>| {
            condition.as_ref().map_or(String::new(), |it| it.as_str().to_owned())
        };
        Err(if left_out.undecided_runs == 0 {
            SelectionError::NoRunSelected(text(&self.only))
        } else {
            SelectionError::NoRunDecided(text(&self.positive))
        })
    }
}

/// Returns whether the labels say that nobody labelled the run: `labelled` or `labels.labelled` is false. An empty list
/// of such a run means nothing.
fn is_marked_unlabelled(labels: &Value) -> bool {
    let marks = [labels.get("labelled"), labels.get("labels").and_then(|labels| labels.get("labelled"))];
    marks.contains(&Some(&Value::Bool(false)))
}

fn few(ids: &[String]) -> String {
    if ids.is_empty() {
        return "none".to_owned();
    }
    let more = if ids.len() > SHOWN { ", …" } else { "" };
    let quoted: Vec<String> = ids.iter().take(SHOWN).map(|id| format!("{id:?}")).collect();
    quoted.join(", ") + more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eval_conditions_are_checked_before_label_files_are_read() {
        let missing = [PathBuf::from("no such file")];
        let read = |files, positive| LabelSelection::read(files, positive, None);
        assert!(read(&[], None).unwrap().is_none());
        let broken = read(&missing, Some("")).unwrap_err();
        assert_eq!(broken.to_string(), "--positive: a condition is empty");
        let unused = read(&missing, None).unwrap_err();
        assert!(matches!(unused, LabelFileError::NoCondition) && unused.is_usage_error());
        let unreadable = read(&missing, Some("stuck")).unwrap_err();
        assert!(unreadable.to_string().starts_with("cannot read the label file no such file: "));
        assert!(!unreadable.is_usage_error());
    }
}
