//! The options of `loopbreak tune`.

use std::path::PathBuf;

use clap::Args;
use loopbreak_analysis::tune::TuneBudget;

use crate::args::ConfigOptions;
use crate::labels::LabelArgs;
use crate::value_parsers::log_format;

/// Search for better thresholds on past runs.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak tune logs/                  Save steps without losing more progress
  loopbreak tune logs/ --labels runs.jsonl --positive stuck
                                        Find the stuck runs, few false alarms
  loopbreak tune logs/ --budget 10m --output loopbreak.toml
                                        Write the best settings after 10 minutes
  loopbreak tune logs/ --budget 2000 --state tune.jsonl
                                        Resumable: after Ctrl-C, run it again

Each trial replays all runs with other settings. The best settings are measured
twice: on all runs, which is too optimistic, and on held-out runs.
`loopbreak config check FILE` shows the settings that were written.

Exit codes:
  0 success; 1 a file could not be read or written;
  2 wrong usage or configuration; 130 interrupted")]
pub(crate) struct TuneArgs {
    /// Files, folders, or - for standard input
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Read all logs as this format instead of detecting it; see `loopbreak formats`
    #[arg(long, value_name = "NAME", value_parser = log_format(), hide_possible_values = true)]
    pub(crate) format: Option<loopbreak_trace::LogFormat>,
    #[command(flatten)]
    pub(crate) labels: LabelArgs,
    /// Number of trials, or a time limit such as 90s, 10m or 2h
    #[arg(long, value_name = "N|TIME", default_value = "200")]
    pub(crate) budget: TuneBudget,
    /// Number of parts for cross-validation; each is held out once
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..=100))]
    pub(crate) folds: u32,
    /// Seed for the trials and for the split into parts
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Number of parallel trials; does not affect the result [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) threads: Option<u32>,
    /// Write the best settings to this file, which must not exist
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite the file of --output
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
    /// Store finished trials in this file, and resume from it
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Print no progress and no warnings about skipped lines
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Show every skipped line and ignored file
    #[arg(short, long)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) config: ConfigOptions,
}
