//! The options `--split` and `--part`.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;

use loopbreak_analysis::eval::{
    EvalSample, LabelSelection, LeftOutRuns, RunSplit, SplitError, SplitRemainder,
};
use loopbreak_trace::InputSet;

use super::args::EvalArgs;
use crate::error::UserError;

/// The part of a split that is evaluated.
pub(super) struct SplitPart {
    split: RunSplit,
    part: String,
    file: PathBuf,
}

/// Reads the split file. Returns `None` if there is none.
pub(super) fn read(args: &EvalArgs) -> Result<Option<SplitPart>, UserError> {
    let (Some(file), Some(part)) = (&args.split, &args.part) else { return Ok(None) };
    let name = file.display();
    let text = fs::read_to_string(file).map_err(|error| {
        UserError::failed(format!("cannot read the split file {name}: {error}"))
            .hint("--split takes a text file with one JSON object per line")
    })?;
    let split = RunSplit::parse(&text).map_err(|error| {
        UserError::failed(format!("{name}:{error}")).hint(
            "use one JSON object per line, such as {\"set\":\"web\",\"run\":\"ep-7\",\"part\":\"look\"}",
        )
    })?;
    let part = SplitPart { split, part: part.clone(), file: file.clone() };
    // An unknown part is reported before the logs are read, which may take long.
    part.keep(&mut Vec::new())?;
    Ok(Some(part))
}

impl SplitPart {
    /// Keeps the runs of the part.
    pub(super) fn keep(&self, samples: &mut Vec<EvalSample>) -> Result<SplitRemainder, UserError> {
        let read = samples.len();
        let kept = self.split.keep(&self.part, samples, |sample| (&sample.report.source, &sample.report.run));
        let remainder = kept.map_err(|error| self.unknown(&error))?;
        if samples.is_empty() && read > 0 {
            let message = format!("no run is in the part {:?} of {}", self.part, self.file.display());
            return Err(UserError::failed(message).hint(
                "a run is found by the name of its log without the ending (\"set\") and its id (\"run\"), or by the \
                 name of its log (\"file\")",
            ));
        }
        Ok(remainder)
    }

    fn unknown(&self, error: &SplitError) -> UserError {
        let message = format!("--part: {error}");
        match error {
            SplitError::UnknownPart { known, .. } if !known.is_empty() => {
                UserError::usage(message).hint(format!("its parts are {}", known.join(", ")))
            }
            _ => UserError::usage(message).hint(format!("{} is empty", self.file.display())),
        }
    }
}

/// Removes the split file from the logs: it may be in the same folder.
pub(super) fn skip_split_file(args: &EvalArgs, inputs: &mut InputSet) {
    let Some(split) = args.split.as_ref().and_then(|file| fs::canonicalize(file).ok()) else { return };
    inputs.inputs.retain(|input| {
        let real = input.path().and_then(|path| fs::canonicalize(path).ok());
        real.is_none_or(|real| real != split)
    });
}

/// Counts the runs outside of the part. Their labels have a run, even if it does not take part.
pub(super) fn count(
    left_out: &mut LeftOutRuns,
    remainder: &SplitRemainder,
    selection: Option<&LabelSelection>,
) {
    left_out.other_part_runs = remainder.other_part;
    left_out.runs_without_part = remainder.unnamed;
    if let Some(selection) = selection {
        let ids: HashSet<&String> = remainder.runs.iter().collect();
        let labelled = ids.into_iter().filter(|run| selection.labels.get(run).is_some()).count() as u64;
        left_out.labels_without_run = left_out.labels_without_run.saturating_sub(labelled);
    }
}
