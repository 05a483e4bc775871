//! Files of labels, and which of the runs they make positive.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;

use loopbreak_report::eval::{Condition, Labels, LeftOut, Sample};

use crate::error::UserError;

/// How many ids an error shows.
const SHOWN: usize = 3;

/// Reads all files.
pub(super) fn read(files: &[PathBuf]) -> Result<Labels, UserError> {
    let mut labels = Labels::default();
    for file in files {
        let name = file.display();
        let text = fs::read_to_string(file)
            .map_err(|error| UserError::failed(format!("cannot read the labels {name}: {error}")))?;
        labels.add(&text).map_err(|error| {
            UserError::failed(format!("{name}:{error}"))
                .hint("labels are one JSON object a line, with the id of the run under \"run\"")
        })?;
    }
    Ok(labels)
}

/// Says of each run whether it is positive, and leaves out those of which that is not known.
pub(super) fn apply(
    labels: &Labels,
    condition: &Condition,
    samples: &mut Vec<Sample>,
) -> Result<LeftOut, UserError> {
    let ids: Vec<String> = samples.iter().map(|sample| sample.report.run.clone()).collect();
    let mut left_out = LeftOut::default();
    samples.retain_mut(|sample| {
        let Some(known) = labels.get(&sample.report.run) else {
            left_out.unlabelled_runs += 1;
            return false;
        };
        sample.positive = condition.holds(known);
        left_out.undecided_runs += u64::from(sample.positive.is_none());
        sample.positive.is_some()
    });
    let read: HashSet<&str> = ids.iter().map(String::as_str).collect();
    left_out.labels_without_run = labels.runs().iter().filter(|run| !read.contains(*run)).count() as u64;
    if left_out.unlabelled_runs == ids.len() as u64 {
        let labelled: Vec<String> = labels.runs().into_iter().map(str::to_owned).collect();
        return Err(UserError::failed("no label is about one of the runs").hint(format!(
            "the runs are {}; the labels are about {}",
            few(&ids),
            few(&labelled)
        )));
    }
    if samples.is_empty() {
        return Err(UserError::usage(format!("{:?} can be told of no run", condition.as_str()))
            .hint("the labels of no run have such a path, with a value that can be compared"));
    }
    Ok(left_out)
}

fn few(ids: &[String]) -> String {
    if ids.is_empty() {
        return "none".to_owned();
    }
    let more = if ids.len() > SHOWN { ", …" } else { "" };
    let quoted: Vec<String> = ids.iter().take(SHOWN).map(|id| format!("{id:?}")).collect();
    quoted.join(", ") + more
}
