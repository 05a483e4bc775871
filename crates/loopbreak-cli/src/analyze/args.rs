//! The options of `loopbreak analyze`.

use std::path::PathBuf;

use clap::Args;

use super::output_files::OutputFiles;
use crate::args::{ConfigOptions, FailOn};

/// Look through past logs.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak analyze                               The logs of the agents on this machine
  loopbreak analyze run.jsonl                     One run, on one screen
  loopbreak analyze logs/                         All logs in a folder and below
  loopbreak analyze logs/ --run ep-7              One run of many, in detail
  loopbreak analyze logs/ --run ep-7 --explain    Its steps, with the loop marked
  my-agent | loopbreak analyze -                  Standard input
  loopbreak analyze logs/ --json > report.json    The same as data
  loopbreak analyze logs/ --html report.html      One page with timelines, for a browser
  loopbreak analyze logs/ --fail-on stop          Exit with 10 if Loopbreak should have stepped in
  loopbreak analyze logs/ --csv runs.csv          A table, one line a run
  loopbreak analyze logs/ --junit loops.xml --sarif loops.sarif --markdown \"$GITHUB_STEP_SUMMARY\"
  loopbreak analyze logs/ --set stagnation.max_turns=60

Logs of many tools are read: see loopbreak formats. Your own may have one JSON object a line, such as
  {\"run\":\"ep-7\",\"turn\":12,\"action\":\"north\",\"outcome\":\"A dam.\",\"place\":\"Dam\",\"score\":40}

Exit codes:
  0 done, whatever was found; 1 something could not be read; 2 used or configured wrongly;
  10 with --fail-on, where something was found (even if something else could not be read)")]
pub(crate) struct AnalyzeArgs {
    /// Files, folders, or - for standard input; without any, the logs of Claude Code, Codex CLI and Gemini CLI here
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Read all logs as this format, whatever their content says: see `loopbreak formats`
    #[arg(long, value_name = "NAME", value_parser = crate::formats::parse)]
    pub(crate) format: Option<loopbreak_trace::LogFormat>,
    /// Look only at the run with this id
    #[arg(long, value_name = "ID")]
    pub(crate) run: Option<String>,
    /// Show the steps of the run, with loops marked and what Loopbreak says between the lines
    ///
    /// Long stretches in which nothing happens are folded. Where there is more than one run, name one with --run.
    #[arg(long, conflicts_with_all = ["json", "quiet"])]
    pub(crate) explain: bool,
    /// Print the report as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the report as one page for a browser: totals, the runs, and of each a timeline with its steps
    ///
    /// The page needs no network. Texts are shortened and secrets masked; of a long run it has the steps around findings, both
    /// ends and a sample.
    #[arg(long, value_name = "FILE", conflicts_with = "explain")]
    pub(crate) html: Option<PathBuf>,
    /// Write all events to this file, one JSON object a line, in the order of the logs
    #[arg(long, value_name = "FILE")]
    pub(crate) events: Option<PathBuf>,
    /// Exit with 10 if a run comes to this verdict or worse
    #[arg(long, value_name = "VERDICT")]
    pub(crate) fail_on: Option<FailOn>,
    /// Print only the sums, and no warnings about lines
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Tell every run in detail, every intervention, every line skipped and every file ignored
    #[arg(short, long)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) outputs: OutputFiles,
    #[command(flatten)]
    pub(crate) config: ConfigOptions,
}
