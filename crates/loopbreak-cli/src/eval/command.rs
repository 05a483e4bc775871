//! From arguments to an evaluation and an exit code.

use std::fs;
use std::path::PathBuf;

use loopbreak::Config;
use loopbreak_report::eval::{self, Baseline, Condition, Evaluation, LeftOut, Question, Sample};
use loopbreak_report::tune::with_patience;
use loopbreak_trace::{InputSet, LogInput, expand_paths};
use rayon::prelude::*;

use super::args::EvalArgs;
use super::{labels, log};
use crate::analyze::{Manner, Outcome, Talk, bar, spare, trouble};
use crate::error::UserError;
use crate::{exit, output};

/// Evaluates logs and prints how well Loopbreak does.
pub(crate) fn run(args: &EvalArgs) -> Result<u8, UserError> {
    let config = crate::config::load(&args.config)?;
    if args.paths.is_empty() {
        return Err(UserError::usage("no log given")
            .hint("name a file or a folder, or - for standard input, as in: loopbreak eval logs/"));
    }
    let known = labels::known(&args.known)?;
    let baselines = baselines(args);
    let expansion = logs_of(&args.paths, &args.known.labels);
    if let Some(path) = &args.html {
        spare("--html", path, &expand_paths([&args.paths[..], &args.known.labels].concat()).inputs)?;
    }
    let mut talk = Talk::new(args.quiet, false);
    let manner =
        Manner { config: &config, only: None, format: args.format, notes: talk.notes(), recorded: false };
    let progress = bar(&expansion.inputs, args.quiet);
    let (patience, others): (Vec<f64>, Vec<Config>) = patience(&config, args).into_iter().unzip();
    let one = |input: &LogInput| {
        let progress = progress.clone();
        log::samples(input, manner, &baselines, &others, move |bytes| progress.inc(bytes))
    };
    let (outcomes, samples): (Vec<Outcome>, Vec<Vec<Sample>>) = expansion.inputs.par_iter().map(one).unzip();
    progress.finish_and_clear();

    let (failed, _) = trouble(&expansion, &outcomes, &mut talk);
    let mut samples: Vec<Sample> = samples.into_iter().flatten().collect();
    if samples.is_empty() && failed {
        return Ok(exit::FAILED);
    }
    if samples.is_empty() {
        return Err(UserError::failed("there are no runs to look at"));
    }
    let left_out = match &known {
        Some(known) => {
            let set = |sample: &mut Sample, positive| sample.positive = positive;
            labels::apply(known, &mut samples, |sample| &sample.report.run, set)?
        }
        None => LeftOut::default(),
    };
    let text = |condition: &Option<Condition>| condition.as_ref().map(|it| it.as_str().to_owned());
    let question = Question {
        positive: known.as_ref().and_then(|known| text(&known.positive)),
        only: known.as_ref().and_then(|known| text(&known.only)),
        settings: args.config.arguments(),
        patience,
    };
    let evaluation = eval::evaluate(&samples, &baselines, question, left_out);
    if let Some(path) = &args.html {
        output::save(path, eval::page(&evaluation).as_bytes())?;
    }
    print(&evaluation, args.json)?;
    Ok(if failed { exit::FAILED } else { exit::DONE })
}

/// How much more and less patience the curve of the page is drawn for.
const PATIENCE: [f64; 6] = [0.5, 0.75, 1.5, 2.0, 3.0, 4.0];

/// Settings with other patience, for the page alone: each is one more guard for every run.
fn patience(config: &Config, args: &EvalArgs) -> Vec<(f64, Config)> {
    let wanted = PATIENCE.iter().filter(|_| args.html.is_some());
    wanted.filter_map(|factor| Some((*factor, with_patience(config, *factor)?))).collect()
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
pub(crate) fn logs_of(paths: &[PathBuf], labels: &[PathBuf]) -> InputSet {
    let mut expansion = expand_paths(paths);
    let labels: Vec<_> = labels.iter().filter_map(|file| fs::canonicalize(file).ok()).collect();
    expansion.inputs.retain(|input| {
        let real = input.path().and_then(|path| fs::canonicalize(path).ok());
        real.is_none_or(|real| !labels.contains(&real))
    });
    expansion
}

fn print(evaluation: &Evaluation, json: bool) -> Result<(), UserError> {
    if !json {
        return output::print(&eval::render(evaluation, &output::look()));
    }
    output::json(evaluation)
}
