//! Files of labels, and which of the runs they make positive.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;

use loopbreak_report::eval::{Condition, Labels, LeftOut};

use super::KnownArgs;
use crate::error::UserError;

/// How many ids an error shows.
const SHOWN: usize = 3;

/// Reads all files.
fn read(files: &[PathBuf]) -> Result<Labels, UserError> {
    let mut labels = Labels::default();
    for file in files {
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

/// What is known of the runs, and what is asked of them.
pub(crate) struct Known {
    labels: Labels,
    pub(crate) positive: Option<Condition>,
    pub(crate) only: Option<Condition>,
}

/// Reads the labels and the conditions; nothing where there are none.
pub(crate) fn known(args: &KnownArgs) -> Result<Option<Known>, UserError> {
    let files = &args.labels;
    let parse = |option: &str, text: Option<&str>| {
        let parsed = text.map(Condition::parse).transpose();
        parsed.map_err(|error| {
            UserError::usage(format!("{option}: {error}")).hint(
                "write a path by dots, an operator and a value, as in: labels.reward<0.5 and success=false",
            )
        })
    };
    let positive = parse("--positive", args.positive.as_deref())?;
    let only = parse("--where", args.only.as_deref())?;
    if files.is_empty() {
        return Ok(None);
    }
    if positive.is_none() && only.is_none() {
        return Err(UserError::usage(
            "--labels without --positive or --where: nothing is asked of the labels",
        )
        .hint("say which runs ought to be seen, as in: --positive success=false"));
    }
    Ok(Some(Known { labels: read(files)?, positive, only }))
}

/// Says of each run whether it is positive, and leaves out those of which that is not known and those that are not to
/// take part. A run is given by its id and where to write the answer.
pub(crate) fn apply<T>(
    known: &Known,
    runs: &mut Vec<T>,
    id: impl Fn(&T) -> &str,
    set: impl Fn(&mut T, Option<bool>),
) -> Result<LeftOut, UserError> {
    let ids: Vec<String> = runs.iter().map(|run| id(run).to_owned()).collect();
    let mut left_out = LeftOut::default();
    runs.retain_mut(|run| {
        let Some(labels) = known.labels.get(id(run)) else {
            left_out.unlabelled_runs += 1;
            return false;
        };
        if known.only.as_ref().is_some_and(|only| only.holds(labels) != Some(true)) {
            left_out.excluded_runs += 1;
            return false;
        }
        let Some(condition) = &known.positive else { return true };
        let positive = condition.holds(labels);
        left_out.undecided_runs += u64::from(positive.is_none());
        set(run, positive);
        positive.is_some()
    });
    let read: HashSet<&str> = ids.iter().map(String::as_str).collect();
    let labelled = known.labels.runs();
    left_out.labels_without_run = labelled.iter().filter(|run| !read.contains(*run)).count() as u64;
    if left_out.unlabelled_runs == ids.len() as u64 {
        let labelled: Vec<String> = labelled.into_iter().map(str::to_owned).collect();
        return Err(UserError::failed("no label is about one of the runs").hint(format!(
            "the runs are {}; the labels are about {}",
            few(&ids),
            few(&labelled)
        )));
    }
    if !runs.is_empty() {
        return Ok(left_out);
    }
    let told =
        |condition: Option<&Condition>| condition.map_or(String::new(), |it| format!("{:?}", it.as_str()));
    if left_out.undecided_runs == 0 {
        return Err(UserError::usage(format!("--where {} holds for no run", told(known.only.as_ref())))
            .hint("the labels of no run have such a path, with a value for which it holds"));
    }
    Err(UserError::usage(format!("{} can be told of no run", told(known.positive.as_ref())))
        .hint("the labels of no run have such a path, with a value that can be compared"))
}

fn few(ids: &[String]) -> String {
    if ids.is_empty() {
        return "none".to_owned();
    }
    let more = if ids.len() > SHOWN { ", …" } else { "" };
    let quoted: Vec<String> = ids.iter().take(SHOWN).map(|id| format!("{id:?}")).collect();
    quoted.join(", ") + more
}
