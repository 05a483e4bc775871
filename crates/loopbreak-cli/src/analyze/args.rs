//! The options of `loopbreak analyze`.

use std::path::PathBuf;

use clap::Args;

use super::output_files::OutputFiles;
use super::selection_options::SelectionOptions;
use crate::args::{ConfigOptions, FailOn};
use crate::value_parsers::{log_format, parse_size};

/// Find loops in past logs.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak analyze                             Logs of your coding agents
  loopbreak analyze run.jsonl                   One run, on one screen
  loopbreak analyze logs/                       A folder and its subfolders
  loopbreak analyze logs/ --run ep-7            One run in detail
  loopbreak analyze logs/ --run ep-7 --explain  Its steps, with the loop marked
  my-agent | loopbreak analyze -                Standard input
  loopbreak analyze --since 7d --sort cost      The costliest runs of a week
  loopbreak analyze logs/ --json > report.json  The report as JSON
  loopbreak analyze logs/ --html report.html    A page with timelines
  loopbreak analyze logs/ --open                The same, in your browser
  loopbreak analyze logs/ --csv runs.csv        A table with one line per run
  loopbreak analyze logs/ --fail-on stop        Exit with 10 if a run is stuck
  loopbreak analyze logs/ --junit loops.xml --sarif loops.sarif
  loopbreak analyze logs/ --markdown \"$GITHUB_STEP_SUMMARY\"
  loopbreak analyze logs/ --card loops.svg      A picture of the totals to share
  loopbreak analyze logs/ --set stagnation.max_turns=60
  loopbreak analyze logs/ --compare --set cycle.warn_at=5

`loopbreak formats` lists the supported formats. An agent of your own can write
one JSON object per line, such as
  {\"run\":\"7\",\"turn\":12,\"action\":\"cargo test\",\"outcome\":\"ok\",\"score\":40}

Exit codes:
  0 success, with or without findings; 1 an input could not be read;
  2 wrong usage or configuration; 10 with --fail-on, if a run has that verdict
  or items of a log could not be read (even if an input could not be read)")]
pub(crate) struct AnalyzeArgs {
    /// Files, folders, or - for standard input [default: the logs of the coding agents on this machine]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Read all logs as this format instead of detecting it; see `loopbreak formats`
    #[arg(long, value_name = "NAME", value_parser = log_format(), hide_possible_values = true)]
    pub(crate) format: Option<loopbreak_trace::LogFormat>,
    /// Analyze only the run with this id, or the only one that begins with it
    #[arg(long, value_name = "ID")]
    pub(crate) run: Option<String>,
    /// Compare the settings as they are with those of --set, --profile and --config, run by run
    ///
    /// The logs are read twice. Only runs whose result changes are listed.
    #[arg(long, conflicts_with_all = ["explain", "html", "open", "events", "fail_on", "csv", "markdown", "junit", "sarif", "card"])]
    pub(crate) compare: bool,
    /// Show the steps of the run, with loops and interventions marked
    ///
    /// Long uneventful periods are folded. If there is more than one run, select one with --run.
    #[arg(long, conflicts_with_all = ["json", "quiet"])]
    pub(crate) explain: bool,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the report as an HTML page with totals, runs, timelines and steps
    ///
    /// The page needs no network. Texts are shortened and secrets masked. For a long run it contains the
    /// first and last steps, those around findings, and a sample of the rest.
    #[arg(long, value_name = "FILE", conflicts_with = "explain")]
    pub(crate) html: Option<PathBuf>,
    /// Write the report as an HTML page and open it
    ///
    /// The page is the file of --html, or else a temporary file that only you can read.
    #[arg(long, conflicts_with = "explain")]
    pub(crate) open: bool,
    /// Write all events to this file, one JSON object per line, in the order of the logs
    #[arg(long, value_name = "FILE")]
    pub(crate) events: Option<PathBuf>,
    /// Unpack at most this much of each compressed log, such as 5G [default: 1G, or 100 times its size if that is more]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) max_unpacked: Option<u64>,
    /// Read all logs again
    ///
    /// Otherwise the results of logs that have not changed are taken from a cache in the folder of the store. Results are the
    /// same either way. --events and --explain always read.
    #[arg(long)]
    pub(crate) no_cache: bool,
    /// Exit with 10 if a run has this verdict or a worse one, or if items of a log could not be read
    #[arg(long, value_name = "VERDICT")]
    pub(crate) fail_on: Option<FailOn>,
    /// Print only the totals, without warnings about skipped lines
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Show every run in detail, every intervention, skipped line and ignored file
    #[arg(short, long)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) selection: SelectionOptions,
    #[command(flatten)]
    pub(crate) outputs: OutputFiles,
    #[command(flatten)]
    pub(crate) config: ConfigOptions,
}
