//! Analyzes logs and prints the report.

use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use loopbreak::Config;
use loopbreak_analysis::{AnalyzeOptions, AnalyzedLogs, EventWriter, LogAnalyzer, Report, VerdictName};
use loopbreak_report::html;
use loopbreak_report::text::{self, TextDetail};
use loopbreak_report::unread_items;
use loopbreak_trace::{AgentLogDir, InputSet, UnpackLimit, agent_log_dirs, expand_paths};

use super::analyze_observer::{AnalyzeObserver, render_explanation};
use super::args::AnalyzeArgs;
use crate::args::FailOn;
use crate::diagnostic_printer::DiagnosticPrinter;
use crate::error::UserError;
use crate::progress_bar::reading_bar;
use crate::{config_loading, exit, output};

/// Runs the command.
pub(crate) fn run(args: &AnalyzeArgs) -> Result<u8, UserError> {
    let config = config_loading::load(&args.config)?;
    let mut diagnostics = DiagnosticPrinter::new(args.quiet, args.verbose);
    let mut inputs = if args.paths.is_empty() {
        expand_paths(find_agent_logs(&diagnostics)?)
    } else {
        expand_paths(&args.paths)
    };
    if let Some(bytes) = args.max_unpacked {
        inputs.limit_unpacked(UnpackLimit::bytes(bytes));
    }
    args.outputs.check(&inputs.inputs, other_outputs(args))?;
    if let Some(path) = &args.html {
        output::refuse_to_overwrite("--html", path, &inputs.inputs)?;
    }
    let (logs, outputs) = read_logs(inputs, config, &diagnostics, args)?;
    let summary = logs.report_unread_inputs(&mut diagnostics);
    diagnostics.finish();

    if let (true, Some(only)) = (logs.has_no_runs(), &args.run) {
        return Err(unknown_run(only, &logs));
    }
    if summary.failed && logs.has_no_runs() {
        return Ok(exit::FAILED);
    }
    if args.explain
        && let Some(text) = render_explanation(&logs, outputs)?
    {
        output::print(&(text + "\n"))?;
    }
    let report = logs.into_report(&summary.reading).map_err(|error| UserError::failed(error.to_string()))?;
    args.outputs.write(&report)?;
    if let Some(path) = &args.html {
        output::write_file_with(path, |out| out.write_all(html::page(&report)?.as_bytes()))?;
    }
    print(&report, args)?;
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

/// Returns the files that other options write; `-` is standard output.
fn other_outputs(args: &AnalyzeArgs) -> Vec<(&'static str, &Path)> {
    let stdout = Path::new("-");
    let flags = [("--json", args.json), ("--explain", args.explain)];
    let flags = flags.into_iter().filter_map(|(option, given)| given.then_some((option, stdout)));
    let files = [("--html", &args.html), ("--events", &args.events)];
    flags.chain(files.into_iter().filter_map(|(option, file)| Some((option, file.as_deref()?)))).collect()
}

/// Returns the folders with the logs of the agents on this machine, and prints where it searched.
fn find_agent_logs(diagnostics: &DiagnosticPrinter) -> Result<Vec<PathBuf>, UserError> {
    let folders_of_agents = agent_log_dirs(|name| std::env::var_os(name));
    let folders: Vec<Vec<PathBuf>> = folders_of_agents.iter().map(AgentLogDir::log_folders).collect();
    let shown = |place: &AgentLogDir| format!("{} ({})", place.agent, place.path.display());
    let searched: Vec<String> = folders_of_agents.iter().map(shown).collect();
    if folders.iter().any(|folders| !folders.is_empty()) {
        for (place, folders) in folders_of_agents.iter().zip(&folders) {
            let what = if folders.is_empty() { "no logs" } else { "reading the logs" };
            diagnostics.searched(&format!("{what} of {} in {}", place.agent, place.path.display()));
        }
        return Ok(folders.concat());
    }
    let message = if searched.is_empty() {
        "no log given, and there is no home folder to search".to_owned()
    } else {
        format!("no log given, and none found for {}", searched.join(", "))
    };
    Err(UserError::usage(message)
        .hint("give a file, a folder, or - for standard input, for example: loopbreak analyze logs/"))
}

/// Reads all logs: in parallel, or one after the other if events are written, to keep their order.
fn read_logs<'o>(
    inputs: InputSet,
    config: Config,
    diagnostics: &DiagnosticPrinter,
    args: &AnalyzeArgs,
) -> Result<(AnalyzedLogs, Vec<AnalyzeObserver<'o>>), UserError> {
    let options = AnalyzeOptions {
        config,
        only_run: args.run.clone(),
        format: args.format,
        notes_per_log: diagnostics.notes_per_log(),
        record_steps: args.html.is_some(),
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
        (analyzer.run_inputs(inputs), Vec::new())
    };
    bar.finish_and_clear();
    Ok(read)
}

fn unknown_run(only: &str, logs: &AnalyzedLogs) -> UserError {
    let error = UserError::failed(format!("run {only:?} not found"));
    match logs.describe_other_runs() {
        Some(others) => error.hint(format!("the runs are {others}")),
        None => error,
    }
}

fn print(report: &Report, args: &AnalyzeArgs) -> Result<(), UserError> {
    if args.outputs.uses_stdout() {
        return Ok(());
    }
    if args.json {
        return output::write_plain_with(|out| report.write_json(out, output::is_terminal()));
    }
    let detail = match (args.quiet, args.verbose) {
        (true, _) => TextDetail::Totals,
        (_, true) => TextDetail::Full,
        _ => TextDetail::Normal,
    };
    output::write(|out| {
        text::write(out, report, &output::text_style(), detail)?;
        unread_items(report.totals.unread_items).map_or(Ok(()), |unread| writeln!(out, "{unread}"))
    })
}
