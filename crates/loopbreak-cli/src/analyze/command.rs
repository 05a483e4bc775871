//! From arguments to a report and an exit code.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use loopbreak::Config;
use loopbreak_report::text::{self, Detail, Look};
use loopbreak_report::{Reading, Report, Restarts, Sums, TaskAttempts, VerdictName};
use loopbreak_trace::{AgentLogDir, LogInput, agent_log_dirs, expand_paths};
use rayon::prelude::*;

use super::finished::AllRuns;
use super::log::{Events, Manner, Outcome, analyze, analyze_on_all_threads};
use super::talk::Talk;
use super::trouble::trouble;
use super::{explain, page, progress};
use crate::args::{AnalyzeArgs, FailOn};
use crate::error::UserError;
use crate::{exit, output};

/// Analyses logs and prints what was found.
pub(crate) fn run(args: &AnalyzeArgs) -> Result<u8, UserError> {
    let config = crate::config::load(&args.config)?;
    let mut talk = Talk::new(args.quiet, args.verbose);
    let expansion =
        if args.paths.is_empty() { expand_paths(found(&talk)?) } else { expand_paths(&args.paths) };
    args.outputs.check(&expansion.inputs, taken(args))?;
    if let Some(path) = &args.html {
        spare("--html", path, &expansion.inputs)?;
    }
    let manner = Manner {
        config: &config,
        only: args.run.as_deref(),
        format: args.format,
        notes: talk.notes(),
        recorded: args.html.is_some(),
    };
    let mut outcomes = read(&expansion.inputs, manner, args)?;

    let (failed, reading) = trouble(&expansion, &outcomes, &mut talk);

    let nothing_read = outcomes.iter().all(|outcome| outcome.runs.is_empty());
    if let (true, Some(only)) = (nothing_read, &args.run) {
        return Err(no_such_run(only, &outcomes));
    }
    if failed && nothing_read {
        return Ok(exit::FAILED);
    }
    if args.explain
        && let Some(text) = explain::only(&mut outcomes)?
    {
        output::print(&(text + "\n"))?;
    }
    let (report, runs) = report(outcomes, &reading, &config)?;
    args.outputs.write(&report)?;
    if let Some(path) = &args.html {
        page::save(path, &report, &runs)?;
    }
    print(&report, args)?;
    let fails = args.fail_on.is_some_and(|fail_on| {
        report.worst()
            >= match fail_on {
                FailOn::Warn => VerdictName::Warn,
                FailOn::Stop => VerdictName::Stop,
            }
    });
    Ok(match (fails, failed) {
        (true, _) => exit::LOOP,
        (false, true) => exit::FAILED,
        (false, false) => exit::DONE,
    })
}

/// The places that are taken by other options; `-` is standard output.
fn taken(args: &AnalyzeArgs) -> Vec<(&'static str, &Path)> {
    let stdout = Path::new("-");
    let flags = [("--json", args.json), ("--explain", args.explain)];
    let flags = flags.into_iter().filter_map(|(option, given)| given.then_some((option, stdout)));
    let files = [("--html", &args.html), ("--events", &args.events)];
    flags.chain(files.into_iter().filter_map(|(option, file)| Some((option, file.as_deref()?)))).collect()
}

/// The logs of the agents on this machine, where none are named. Says where it looked.
fn found(talk: &Talk) -> Result<Vec<PathBuf>, UserError> {
    let places = agent_log_dirs(|name| std::env::var_os(name));
    let folders: Vec<Vec<PathBuf>> = places.iter().map(AgentLogDir::log_folders).collect();
    let shown = |place: &AgentLogDir| format!("{} ({})", place.agent, place.path.display());
    let looked: Vec<String> = places.iter().map(shown).collect();
    if folders.iter().any(|folders| !folders.is_empty()) {
        for (place, folders) in places.iter().zip(&folders) {
            let what = if folders.is_empty() { "no logs" } else { "reading the logs" };
            talk.looked(&format!("{what} of {} in {}", place.agent, place.path.display()));
        }
        return Ok(folders.concat());
    }
    let message = if looked.is_empty() {
        "no log given, and no home folder to look for logs in".to_owned()
    } else {
        format!("no log given, and none found of {}", looked.join(", "))
    };
    Err(UserError::usage(message)
        .hint("name a file or a folder, or - for standard input, as in: loopbreak analyze logs/"))
}

/// Reads all logs: side by side, or one after the other where events are to be written in order.
fn read(inputs: &[LogInput], manner: Manner<'_>, args: &AnalyzeArgs) -> Result<Vec<Outcome>, UserError> {
    let bar = progress::bar(inputs, args.quiet);
    let watch = || {
        let bar = bar.clone();
        move |bytes| bar.inc(bytes)
    };
    let outcomes = if let Some(path) = &args.events {
        let mut file = BufWriter::new(create(path, inputs, "--events")?);
        let mut events = Events::new(&mut file);
        let one = |input| match manner_of_telling(args) {
            Some(how) => explain::analyze(input, manner, Some(&mut events), how, watch()),
            None => analyze(input, manner, Some(&mut events), watch()),
        };
        let outcomes = inputs.iter().map(one).collect();
        output::quietly(events.finish(), &path.display().to_string())?;
        outcomes
    } else {
        let one = |input: &LogInput| match manner_of_telling(args) {
            Some(how) => explain::analyze(input, manner, None, how, watch()),
            None => analyze(input, manner, None, watch()),
        };
        // Where there are as many large logs as threads, each thread has one.
        let few = inputs.iter().filter(|input| is_large(input)).count() < rayon::current_num_threads();
        let on_all = |input: &LogInput| few && !args.explain && is_large(input);
        let small = |input: &LogInput| (!on_all(input)).then(|| one(input));
        let mut outcomes: Vec<Option<Outcome>> = inputs.par_iter().map(small).collect();
        // One after the other: each has work for all threads, and memory for each would be needed at the same time.
        for (input, outcome) in inputs.iter().zip(&mut outcomes) {
            if outcome.is_none() {
                *outcome = Some(analyze_on_all_threads(input, manner, watch()));
            }
        }
        outcomes.into_iter().flatten().collect()
    };
    bar.finish_and_clear();
    Ok(outcomes)
}

/// From this size on a log is worth the work of all threads, in bytes. Smaller ones are read side by side.
const LARGE: u64 = 4 * 1024 * 1024;

/// Whether a log is worth all threads. Nobody knows how long a stream will be.
fn is_large(input: &LogInput) -> bool {
    input.path().is_none() || input.size() >= LARGE
}

/// How the steps are to be told, if they are.
fn manner_of_telling(args: &AnalyzeArgs) -> Option<(Look, bool)> {
    args.explain.then(|| (output::look(), args.verbose))
}

/// Refuses to write over a log that is to be read.
pub(crate) fn spare(option: &str, path: &Path, inputs: &[LogInput]) -> Result<(), UserError> {
    let real = fs::canonicalize(path).ok();
    let same = |input: &&LogInput| input.path().and_then(|path| fs::canonicalize(path).ok()) == real;
    if real.as_ref().is_some_and(|real| real.is_file()) && inputs.iter().any(|input| same(&input)) {
        let message = format!("{option} {} would overwrite a log to be read", path.display());
        return Err(UserError::usage(message).hint("name another file to write to"));
    }
    Ok(())
}

/// Makes a file to write, unless that would destroy a log that is to be read.
pub(crate) fn create(path: &Path, inputs: &[LogInput], option: &str) -> Result<File, UserError> {
    spare(option, path, inputs)?;
    let failed = |error: io::Error| UserError::failed(format!("cannot write {}: {error}", path.display()));
    File::create(path).map_err(failed)
}

fn no_such_run(only: &str, outcomes: &[Outcome]) -> UserError {
    let mut others: Vec<&str> =
        outcomes.iter().flat_map(|outcome| &outcome.others).map(String::as_str).collect();
    others.sort_unstable();
    others.dedup();
    let error = UserError::failed(format!("no run has the id {only:?}"));
    if others.is_empty() {
        return error;
    }
    let more = if others.len() > 5 { ", …" } else { "" };
    others.truncate(5);
    let quoted: Vec<String> = others.iter().map(|other| format!("{other:?}")).collect();
    error.hint(format!("there are {}{more}", quoted.join(", ")))
}

/// Puts the outcomes together, in the order of reading.
fn report(
    outcomes: Vec<Outcome>,
    reading: &Reading,
    config: &Config,
) -> Result<(Report, AllRuns), UserError> {
    let mut tasks = TaskAttempts::new(config);
    let mut restarts = Restarts::new(config);
    let (mut runs, mut sums) = (Vec::new(), Sums::default());
    for (source, outcome) in outcomes.into_iter().enumerate() {
        for attempt in outcome.attempts {
            tasks.add(source, attempt);
        }
        let seen = outcome.runs.each(|summary, run| {
            summary.cloned().into_iter().for_each(|summary| restarts.add(summary));
            sums.add(run);
            Ok(())
        });
        seen.map_err(|error| UserError::failed(error.to_string()))?;
        runs.push(outcome.runs);
    }
    let series = [tasks.finish(), restarts.finish()].concat();
    let (runs, totals) = (AllRuns::new(runs), sums.finish(reading, config.report.calls_per_step));
    Ok((Report::new(runs.clone(), series, totals), runs))
}

fn print(report: &Report, args: &AnalyzeArgs) -> Result<(), UserError> {
    if args.outputs.take_stdout() {
        return Ok(());
    }
    if args.json {
        return output::json(report);
    }
    let detail = match (args.quiet, args.verbose) {
        (true, _) => Detail::Sums,
        (_, true) => Detail::Full,
        _ => Detail::Normal,
    };
    output::write(|out| text::write(out, report, &output::look(), detail))
}
