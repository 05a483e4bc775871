//! Evaluates logs and prints the result.

use loopbreak::Config;
use loopbreak_analysis::eval::{
    self, EvalBaseline, EvalQuestion, EvalReport, EvalSample, HoldoutSplit, LabelCondition, LeftOutRuns,
    SplitPart, SplitPartError,
};
use loopbreak_analysis::tune::with_patience;
use loopbreak_analysis::{AnalyzeOptions, LogAnalyzer, report_unread_inputs};
use loopbreak_report::eval as report;
use loopbreak_trace::expand_paths;

use super::advice;
use super::args::EvalArgs;
use crate::error::UserError;
use crate::progress_bar::reading_bar;
use crate::{config_loading, exit, output};

/// Runs the command.
pub(crate) fn run(args: &EvalArgs) -> Result<u8, UserError> {
    let config = config_loading::load(&args.config)?;
    output::warn_about_mode(config.mode);
    // Held-out runs were only observed, but are judged like the others.
    let holdout = HoldoutSplit::new(&config);
    let config = holdout.as_ref().map_or(config, HoldoutSplit::replay_config);
    if args.paths.is_empty() {
        return Err(UserError::usage("no log given")
            .hint("give a file, a folder, or - for standard input, for example: loopbreak eval logs/"));
    }
    if let [first, second] = &args.advice[..] {
        return advice::compare(args, &config, [first, second]);
    }
    let selection = args.labels.read()?;
    let baselines = baselines(args);
    let part = args.split.as_deref().zip(args.part.as_deref());
    let part = part.map(|(file, part)| SplitPart::read(file, part)).transpose()?;
    let mut inputs = args.labels.find_logs(&args.paths);
    if let Some(path) = &args.html {
        let mut read = args.labels.find_logs_and_labels(&args.paths).inputs;
        read.extend(expand_paths(&args.split).inputs);
        output::refuse_to_overwrite("--html", path, &read)?;
    }
    inputs.skip(&args.split);
    let mut diagnostics = output::diagnostics(args.quiet, args.verbose);
    let options = AnalyzeOptions {
        format: args.format,
        notes_per_log: diagnostics.notes_per_log(),
        ..AnalyzeOptions::new(config.clone())
    };
    let bar = reading_bar(&inputs.inputs, args.quiet);
    let progress = bar.clone();
    let analyzer = LogAnalyzer::new(options).on_progress(move |bytes| progress.inc(bytes));
    let (patience, others): (Vec<f64>, Vec<Config>) = patience_configs(&config, args).into_iter().unzip();
    let (logs, mut samples) = eval::read_samples(&analyzer, &inputs.inputs, &baselines, &others);
    bar.finish_and_clear();

    let failed = report_unread_inputs(&inputs, &logs, &mut diagnostics).failed;
    diagnostics.finish();
    if samples.is_empty() && failed {
        return Ok(exit::FAILED);
    }
    if samples.is_empty() {
        return Err(UserError::failed("no runs found"));
    }
    let other_runs = part.map(|part| part.keep(&mut samples)).transpose()?.unwrap_or_default();
    let mut left_out = match &selection {
        Some(selection) => {
            let set = |sample: &mut EvalSample, positive| sample.positive = positive;
            selection.apply(&mut samples, |sample| &sample.report.run, set)?
        }
        None => LeftOutRuns::default(),
    };
    other_runs.add_to(&mut left_out, selection.as_ref());
    let text = |condition: &Option<LabelCondition>| condition.as_ref().map(|it| it.as_str().to_owned());
    let question = EvalQuestion {
        positive: selection.as_ref().and_then(|selection| text(&selection.positive)),
        only: selection.as_ref().and_then(|selection| text(&selection.only)),
        part: args.part.clone(),
        settings: args.config.arguments(),
        patience,
        holdout,
    };
    let evaluation = eval::evaluate(&samples, &baselines, question, left_out);
    if let Some(path) = &args.html {
        output::write_file(path, report::page(&evaluation).as_bytes())?;
    }
    print(&evaluation, args.json)?;
    Ok(if failed { exit::FAILED } else { exit::DONE })
}

/// Patience factors of the curve on the HTML page.
const PATIENCE: [f64; 6] = [0.5, 0.75, 1.5, 2.0, 3.0, 4.0];

/// Returns the settings for each patience factor, only if the page is written: each costs one more guard per
/// run.
fn patience_configs(config: &Config, args: &EvalArgs) -> Vec<(f64, Config)> {
    let wanted = PATIENCE.iter().filter(|_| args.html.is_some());
    wanted.filter_map(|factor| Some((*factor, with_patience(config, *factor)?))).collect()
}

/// Returns the baselines without duplicates, in the order of the options.
fn baselines(args: &EvalArgs) -> Vec<EvalBaseline> {
    let mut baselines: Vec<EvalBaseline> = Vec::new();
    for name in &args.baseline {
        let baseline = EvalBaseline::from(*name);
        if !baselines.contains(&baseline) {
            baselines.push(baseline);
        }
    }
    baselines
}

fn print(evaluation: &EvalReport, json: bool) -> Result<(), UserError> {
    if !json {
        return output::print(&report::render(evaluation, &output::text_style()));
    }
    output::print_json(evaluation)
}

impl From<SplitPartError> for UserError {
    fn from(error: SplitPartError) -> Self {
        let message = error.to_string();
        let is_usage = error.is_usage_error();
        if is_usage { UserError::usage(message) } else { UserError::failed(message) }.hint(error.hint())
    }
}
