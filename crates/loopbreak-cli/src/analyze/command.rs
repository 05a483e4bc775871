//! Analyzes logs and prints the report.

use std::fs;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use loopbreak::Config;
use loopbreak_analysis::{
    AnalyzeOptions, AnalyzedLogs, EventWriter, InputSummary, LogAnalyzer, LogCache, Report, RunMatch,
    VerdictName,
};
use loopbreak_report::html;
use loopbreak_report::outputs::VisibleJson;
use loopbreak_report::text::{self, TextDetail};
use loopbreak_store::default_path;
use loopbreak_trace::{InputSet, UnpackLimit, expand_paths, search_agent_logs};
use loopbreak_watch::{open_page, page_origin, write_private_page};

use super::analyze_observer::{AnalyzeObserver, render_explanation};
use super::args::AnalyzeArgs;
use super::compare;
use crate::args::FailOn;
use crate::error::UserError;
use crate::output::StderrDiagnostics;
use crate::progress_bar::reading_bar;
use crate::{config_loading, exit, output};

/// Runs the command.
pub(crate) fn run(args: &AnalyzeArgs) -> Result<u8, UserError> {
    if args.compare {
        return compare::run(args);
    }
    let config = config_loading::load(&args.config)?;
    let mut diagnostics = output::diagnostics(args.quiet, args.verbose);
    let inputs = find_inputs(args, Some(&mut diagnostics))?;
    args.outputs.check(&inputs.inputs, other_outputs(args))?;
    if let Some(path) = &args.html {
        output::refuse_to_overwrite("--html", path, &inputs.inputs)?;
    }
    let can_be_read_again = inputs.inputs.iter().all(|input| input.path().is_some());
    let (mut logs, mut outputs) = read_logs(inputs, &config, args.run.clone(), &mut diagnostics, args)?;
    if let (true, Some(name), true) = (logs.has_no_runs(), &args.run, can_be_read_again)
        && let RunMatch::One(whole) = logs.match_run(name)
    {
        // The name was the beginning of this one. Standard input cannot be read again.
        let again = find_inputs(args, None)?;
        (logs, outputs) = read_logs(again, &config, Some(whole), &mut diagnostics, args)?;
    }
    let summary = logs.report_unread_inputs(&mut diagnostics);

    if let (true, Some(only)) = (logs.has_no_runs(), &args.run) {
        diagnostics.finish();
        return Err(unknown_run(only, &logs));
    }
    if summary.failed && logs.has_no_runs() {
        diagnostics.finish();
        return Ok(exit::FAILED);
    }
    if args.explain
        && let Some(text) = render_explanation(&logs, outputs)?
    {
        output::print(&(text + "\n"))?;
    }
    let report = select_report(logs, &summary, args).inspect_err(|_| diagnostics.finish())?;
    args.outputs.write(&report)?;
    if let Some(path) = &args.html {
        output::write_file_with(path, |out| out.write_all(html::page(&report, &page_origin())?.as_bytes()))?;
    }
    print(&report, args)?;
    // Below the result, which may be long.
    diagnostics.finish();
    if args.open {
        open_report(&report, args)?;
    }
    let fails = args.fail_on.is_some_and(|fail_on| {
        let level = match fail_on {
            FailOn::Warn => VerdictName::Warn,
            FailOn::Stop => VerdictName::Stop,
        };
        // What was not read may be a loop of any level.
        report.worst() >= level || report.totals.unread_items > 0
    });
    Ok(match (fails, summary.failed) {
        (true, _) => exit::LOOP,
        (false, true) => exit::FAILED,
        (false, false) => exit::DONE,
    })
}

/// Opens the page of the report, which is written to a private file unless it has a file already.
fn open_report(report: &Report, args: &AnalyzeArgs) -> Result<(), UserError> {
    let cannot_write = |error| UserError::failed(format!("cannot write the page to open: {error}"));
    let path = match &args.html {
        // The program that opens it may have another working directory.
        Some(path) => fs::canonicalize(path).map_err(cannot_write)?,
        None => html::page(report, &page_origin())
            .and_then(|page| write_private_page(&page))
            .map_err(cannot_write)?,
    };
    match open_page(&path) {
        Ok(()) if args.quiet => {}
        Ok(()) => eprint_line!("loopbreak: opened the report {}", path.display()),
        Err(error) => eprint_line!("loopbreak: {error}; the report is in {}", path.display()),
    }
    Ok(())
}

/// Returns the files that other options write; `-` is standard output.
fn other_outputs(args: &AnalyzeArgs) -> Vec<(&'static str, &Path)> {
    let stdout = Path::new("-");
    let flags = [("--json", args.json), ("--explain", args.explain)];
    let flags = flags.into_iter().filter_map(|(option, given)| given.then_some((option, stdout)));
    let files = [("--html", &args.html), ("--events", &args.events)];
    flags.chain(files.into_iter().filter_map(|(option, file)| Some((option, file.as_deref()?)))).collect()
}

/// Returns the folders with the logs of the agents on this machine, and prints where it searched.
fn find_agent_logs(diagnostics: Option<&mut StderrDiagnostics>) -> Result<Vec<PathBuf>, UserError> {
    let found = search_agent_logs(|name| std::env::var_os(name)).map_err(|error| {
        UserError::usage(error.to_string())
            .hint("give a file, a folder, or - for standard input, for example: loopbreak analyze logs/")
    })?;
    if let Some(diagnostics) = diagnostics {
        found.notes().for_each(|note| diagnostics.searched(&note));
    }
    Ok(found.folders())
}

/// Returns the logs to read: those that the user named, or else those of the agents on this machine.
pub(super) fn find_inputs(
    args: &AnalyzeArgs,
    diagnostics: Option<&mut StderrDiagnostics>,
) -> Result<InputSet, UserError> {
    let found = if args.paths.is_empty() { find_agent_logs(diagnostics)? } else { args.paths.clone() };
    let mut inputs = expand_paths(found);
    args.max_unpacked.iter().for_each(|bytes| inputs.limit_unpacked(UnpackLimit::bytes(*bytes)));
    Ok(inputs)
}

/// Returns the report on the runs that the options select.
pub(super) fn select_report(
    logs: AnalyzedLogs,
    summary: &InputSummary,
    args: &AnalyzeArgs,
) -> Result<Report, UserError> {
    let filter = args.selection.filter(SystemTime::now());
    let (report, filtered) = logs
        .into_filtered_report(&summary.reading, &filter)
        .map_err(|error| UserError::failed(error.to_string()))?;
    if report.runs.is_empty() && filtered.left_out > 0 {
        return Err(args.selection.nothing_selected(&filtered));
    }
    Ok(report)
}

/// Reads all logs: in parallel, or one after the other if events are written, to keep their order.
pub(super) fn read_logs<'o>(
    inputs: InputSet,
    config: &Config,
    only_run: Option<String>,
    diagnostics: &mut StderrDiagnostics,
    args: &AnalyzeArgs,
) -> Result<(AnalyzedLogs, Vec<AnalyzeObserver<'o>>), UserError> {
    let options = AnalyzeOptions {
        config: config.clone(),
        only_run,
        format: args.format,
        notes_per_log: diagnostics.notes_per_log(),
        record_steps: args.html.is_some() || args.open,
    };
    let bar = reading_bar(&inputs.inputs, args.quiet);
    let progress = bar.clone();
    let analyzer = LogAnalyzer::new(options).on_progress(move |bytes| progress.inc(bytes));
    let style = args.explain.then(|| (output::text_style(), args.verbose));
    let read = if let Some(path) = &args.events {
        let file = output::create_file("--events", path, &inputs.inputs)?;
        let events = Mutex::new(EventWriter::new(BufWriter::new(file)));
        let (logs, outputs) = analyzer.run_in_order(inputs, || AnalyzeObserver::new(Some(&events), style));
        let outputs = outputs.into_iter().map(AnalyzeObserver::without_events).collect();
        let events = events.into_inner().unwrap_or_else(PoisonError::into_inner);
        output::ignore_closed_pipe(events.finish(), &path.display().to_string())?;
        (logs, outputs)
    } else if style.is_some() {
        analyzer.run_observed(inputs, || AnalyzeObserver::new(None, style))
    } else {
        match open_cache(args) {
            Some(cache) => {
                let count = inputs.inputs.len();
                let logs = analyzer.with_cache(Arc::clone(&cache)).run_inputs(inputs);
                bar.finish_and_clear();
                let summary = cache.finish();
                let reused = summary.reused;
                if args.verbose && reused > 0 {
                    let note = format!("unchanged since they were last analyzed: {reused} of {count} logs");
                    diagnostics.searched(&note);
                }
                (logs, Vec::new())
            }
            None => (analyzer.run_inputs(inputs), Vec::new()),
        }
    };
    bar.finish_and_clear();
    Ok(read)
}

/// Opens the cache of analyses. Without one, for example where the home folder cannot be written, all logs are read.
fn open_cache(args: &AnalyzeArgs) -> Option<Arc<LogCache>> {
    let store = default_path(|name| std::env::var_os(name)).filter(|_| !args.no_cache)?;
    LogCache::beside_store(&store, SystemTime::now()).ok().map(Arc::new)
}

pub(super) fn unknown_run(only: &str, logs: &AnalyzedLogs) -> UserError {
    let error = UserError::failed(format!("run {only:?} not found"));
    match logs.match_run(only) {
        RunMatch::One(name) => error.hint(format!("did you mean {name:?}?")),
        RunMatch::Several(names) => UserError::failed(format!("several runs begin with {only:?}"))
            .hint(format!("name one of them: {names}")),
        RunMatch::Unknown(Some(hint)) => error.hint(hint),
        _ => error,
    }
}

fn print(report: &Report, args: &AnalyzeArgs) -> Result<(), UserError> {
    if args.json || args.outputs.uses_stdout() {
        // A table has no place for it.
        output::warn_about_mode(report.mode);
    }
    if args.outputs.uses_stdout() {
        return Ok(());
    }
    if args.json {
        return output::write_plain_with(|out| {
            report.write_json(&mut VisibleJson::escaped(out), output::is_terminal())
        });
    }
    let detail = match (args.quiet, args.verbose) {
        (true, _) => TextDetail::Totals,
        (_, true) => TextDetail::Full,
        _ => TextDetail::Normal,
    };
    let table = args.selection.table();
    output::write(|out| text::write_table(out, report, &output::text_style(), detail, table))
}
