//! From arguments to an evaluation and an exit code.

use std::fs;

use loopbreak_report::Reading;
use loopbreak_report::eval::{self, Baseline, Condition, Evaluation, Labels, LeftOut, Sample};
use loopbreak_trace::{Expansion, Input, expand};
use rayon::prelude::*;

use super::args::EvalArgs;
use super::{labels, log};
use crate::analyze::{Manner, Outcome, Talk, bar, empty_folders, tell};
use crate::error::UserError;
use crate::{exit, output};

/// Evaluates logs and prints how well Loopbreak does.
pub(crate) fn run(args: &EvalArgs) -> Result<u8, UserError> {
    let config = crate::config::load(&args.config)?;
    if args.paths.is_empty() {
        return Err(UserError::usage("no log given")
            .hint("name a file or a folder, or - for standard input, as in: loopbreak eval logs/"));
    }
    let known = known(args)?;
    let baselines = baselines(args);
    let expansion = logs(args);
    let mut talk = Talk::new(args.quiet, false);
    let manner = Manner { config: &config, only: None, format: None, notes: talk.notes() };
    let progress = bar(&expansion.inputs, args.quiet);
    let one = |input: &Input| {
        let progress = progress.clone();
        log::samples(input, manner, &baselines, move |bytes| progress.inc(bytes))
    };
    let (outcomes, samples): (Vec<Outcome>, Vec<Vec<Sample>>) = expansion.inputs.par_iter().map(one).unzip();
    progress.finish_and_clear();

    let failed = trouble(&expansion, &outcomes, &mut talk);
    let mut samples: Vec<Sample> = samples.into_iter().flatten().collect();
    if samples.is_empty() && failed {
        return Ok(exit::FAILED);
    }
    if samples.is_empty() {
        return Err(UserError::failed("there are no runs to look at"));
    }
    let left_out = match &known {
        Some((labels, condition)) => labels::apply(labels, condition, &mut samples)?,
        None => LeftOut::default(),
    };
    let positive = known.map(|(_, condition)| condition.as_str().to_owned());
    print(&eval::evaluate(&samples, &baselines, positive, left_out), args.json)?;
    Ok(if failed { exit::FAILED } else { exit::DONE })
}

/// The labels, and which runs they make positive.
fn known(args: &EvalArgs) -> Result<Option<(Labels, Condition)>, UserError> {
    let Some(positive) = &args.positive else { return Ok(None) };
    let condition = Condition::parse(positive).map_err(|error| {
        UserError::usage(format!("--positive: {error}"))
            .hint("write a path by dots, an operator and a value, as in: labels.reward<0.5 and success=false")
    })?;
    Ok(Some((labels::read(&args.labels)?, condition)))
}

/// Each once, in the order asked for.
fn baselines(args: &EvalArgs) -> Vec<Baseline> {
    let mut baselines: Vec<Baseline> = Vec::new();
    for name in &args.baseline {
        let baseline = Baseline::from(*name);
        if !baselines.contains(&baseline) {
            baselines.push(baseline);
        }
    }
    baselines
}

/// The logs: the labels may lie among them, and are none.
fn logs(args: &EvalArgs) -> Expansion {
    let mut expansion = expand(&args.paths);
    let labels: Vec<_> = args.labels.iter().filter_map(|file| fs::canonicalize(file).ok()).collect();
    expansion.inputs.retain(|input| {
        let real = input.path().and_then(|path| fs::canonicalize(path).ok());
        real.is_none_or(|real| !labels.contains(&real))
    });
    expansion
}

/// Tells what could not be read. True if that is a failure.
fn trouble(expansion: &Expansion, outcomes: &[Outcome], talk: &mut Talk) -> bool {
    let mut failed = false;
    for trouble in &expansion.troubles {
        talk.error(&trouble.name, &trouble.refusal, trouble.refusal.hint());
        failed = true;
    }
    let mut reading = Reading::default();
    for (input, outcome) in expansion.inputs.iter().zip(outcomes) {
        reading.skipped_lines += outcome.skipped;
        failed |= tell(input, outcome, talk, &mut reading);
    }
    failed |= empty_folders(expansion, outcomes, talk);
    talk.finish();
    failed
}

fn print(evaluation: &Evaluation, json: bool) -> Result<(), UserError> {
    if !json {
        return output::print(&eval::render(evaluation, &output::look()));
    }
    output::write(|out| {
        if output::is_terminal() {
            serde_json::to_writer_pretty(&mut *out, evaluation)?;
        } else {
            serde_json::to_writer(&mut *out, evaluation)?;
        }
        out.write_all(b"\n")
    })
}
