//! Searches for better thresholds and prints or writes them.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressStyle};
use loopbreak::Config;
use loopbreak_analysis::tune::{
    KeptRun, MAX_STEP_BYTES, SearchControl, SearchOutcome, StateFile, StateFileError, TrialGenerator,
    TuneBudget, TuneResult, TuneSubject, prune, read_runs, search,
};
use loopbreak_analysis::{AnalyzeOptions, LogAnalyzer, report_unread_inputs};
use loopbreak_report::tune as report;

use super::args::TuneArgs;
use crate::error::UserError;
use crate::progress_bar::reading_bar;
use crate::{config_loading, exit, output};

/// Runs the command.
pub(crate) fn run(args: &TuneArgs) -> Result<u8, UserError> {
    let config = config_loading::load(&args.config)?;
    output::warn_about_mode(config.mode);
    if args.paths.is_empty() {
        return Err(UserError::usage("no log given")
            .hint("give a file, a folder, or - for standard input, for example: loopbreak tune logs/"));
    }
    if let Some(path) = &args.output {
        check_output(path, args.force)?;
    }
    let selection = args.labels.read()?;
    if let Some(threads) = args.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads as usize).build_global();
        pool.map_err(|error| UserError::failed(format!("cannot start {threads} threads: {error}")))?;
    }
    let (failed, mut runs) = read_logs(args, &config)?;
    if runs.is_empty() {
        return if failed { Ok(exit::FAILED) } else { Err(UserError::failed("no runs found")) };
    }
    if let Some(selection) = &selection {
        selection.apply(&mut runs, |run| &run.run, |run, positive| run.positive = positive)?;
    }
    if runs.len() < 2 {
        return Err(UserError::usage("one run is not enough to tune on: some runs must be held out")
            .hint("give more logs; a useful result needs a few dozen runs"));
    }
    let subject = TuneSubject::new(&runs, &config, args.seed);
    let (state, done) = match &args.state {
        Some(path) => {
            let (state, done) = StateFile::open(path, &subject, runs.len())?;
            (Some(state), done)
        }
        None => (None, BTreeMap::new()),
    };
    let mut trials = TrialGenerator::new(&config, args.seed);
    let (stop, bar) = (interrupt_flag(), search_bar(args.budget, args.quiet));
    let control = SearchControl { budget: args.budget, stop: &stop, on_trial: &|| bar.inc(1) };
    let found = search(&runs, &mut trials, &control, done, state);
    bar.finish_and_clear();
    let found = found.map_err(|error| UserError::failed(format!("cannot write the state file: {error}")))?;
    if found.interrupted {
        print_interrupted(&found, args);
        return Ok(exit::INTERRUPTED);
    }
    let mut result = TuneResult::new(&runs, &found, selection.as_ref(), args.folds as usize, args.seed)
        .ok_or_else(|| UserError::failed("no trial was run"))?;
    prune(&mut result.choice.best, &trials, &runs);
    if let Some(path) = &args.output {
        write_settings(path, &result, &trials, &runs, &subject)?;
        eprint_line!("wrote {}", path.display());
    }
    print(&result, args.json)?;
    Ok(if failed { exit::FAILED } else { exit::DONE })
}

/// Reads all runs. The first value is true if something could not be read.
fn read_logs(args: &TuneArgs, config: &Config) -> Result<(bool, Vec<KeptRun>), UserError> {
    let inputs = args.labels.find_logs(&args.paths);
    let mut diagnostics = output::diagnostics(args.quiet, args.verbose);
    let options = AnalyzeOptions {
        format: args.format,
        notes_per_log: diagnostics.notes_per_log(),
        ..AnalyzeOptions::new(config.clone())
    };
    let bar = reading_bar(&inputs.inputs, args.quiet);
    let progress = bar.clone();
    let analyzer = LogAnalyzer::new(options).on_progress(move |bytes| progress.inc(bytes));
    let read = read_runs(&analyzer, &inputs.inputs, MAX_STEP_BYTES);
    bar.finish_and_clear();
    let (logs, runs) = read.map_err(|error| {
        UserError::failed(error.to_string()).hint("give fewer logs: a few hundred runs are enough to tune on")
    })?;
    let failed = report_unread_inputs(&inputs, &logs, &mut diagnostics).failed;
    diagnostics.finish();
    Ok((failed, runs))
}

impl From<StateFileError> for UserError {
    fn from(error: StateFileError) -> Self {
        let (message, hint) = (error.to_string(), error.hint());
        let error = match error {
            StateFileError::Io { .. } => UserError::failed(message),
            _ => UserError::usage(message),
        };
        if let Some(hint) = hint { error.hint(hint) } else { error }
    }
}

/// Returns a flag that an interrupt sets. A second interrupt ends the program at once.
fn interrupt_flag() -> Arc<AtomicBool> {
    let stopped = Arc::new(AtomicBool::new(false));
    let handle = Arc::clone(&stopped);
    // Without support for this signal, nobody can send it.
    let _ = ctrlc::set_handler(move || {
        if handle.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(exit::INTERRUPTED));
        }
    });
    stopped
}

fn search_bar(budget: TuneBudget, quiet: bool) -> ProgressBar {
    if quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let (bar, template) = match budget {
        TuneBudget::Trials(count) => (
            ProgressBar::new(count as u64),
            "trying {wide_bar:.cyan/dim} {pos} of {len} settings, {eta} left",
        ),
        _ => (ProgressBar::new_spinner(), "trying: {pos} settings, {elapsed}"),
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("━━─"));
    }
    bar
}

fn print_interrupted(found: &SearchOutcome, args: &TuneArgs) {
    let tried = found.tried.len();
    if let Some(state) = &args.state {
        eprint_line!(
            "interrupted after {tried} trials, which are stored in {}; run the same command to continue",
            state.display()
        );
    } else {
        eprint_line!("interrupted after {tried} trials; use --state FILE to keep them");
    }
}

/// Returns an error if the settings must not be written to this file.
fn check_output(path: &Path, force: bool) -> Result<(), UserError> {
    if path.file_name().is_some_and(|name| name == "pyproject.toml") {
        return Err(UserError::usage(format!("{} is not only for Loopbreak", path.display()))
            .hint("write a loopbreak.toml, or add [tool.loopbreak] by hand"));
    }
    if path.exists() && !force {
        return Err(UserError::usage(format!("{} already exists", path.display()))
            .hint("choose another file, or add --force to overwrite it"));
    }
    Ok(())
}

fn write_settings(
    path: &Path,
    result: &TuneResult,
    trials: &TrialGenerator,
    runs: &[KeptRun],
    subject: &TuneSubject,
) -> Result<(), UserError> {
    let config: Config = trials
        .config(&result.choice.best)
        .ok_or_else(|| UserError::failed("the best settings are not a valid configuration"))?;
    let sources = runs.iter().map(|run| run.source.as_str());
    output::write_file(path, report::settings_file(result, &config, sources, subject.data()).as_bytes())
}

fn print(result: &TuneResult, json: bool) -> Result<(), UserError> {
    if !json {
        return output::print(&report::render(result, &output::text_style()));
    }
    output::print_json(result)
}
