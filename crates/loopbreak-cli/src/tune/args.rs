//! The options of `loopbreak tune`.

use std::path::PathBuf;

use clap::Args;
use loopbreak_analysis::tune::TuneBudget;

use crate::args::ConfigOptions;
use crate::labels::LabelArgs;

/// Search thresholds on past runs.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak tune logs/                                       Save steps, destroy no more progress than now
  loopbreak tune logs/ --labels runs.jsonl --positive stuck  Find the stuck runs, with few false alarms
  loopbreak tune logs/ --budget 10m --output loopbreak.toml  Search for ten minutes, write the best settings
  loopbreak tune logs/ --budget 2000 --state tune.jsonl      Ctrl-C, and the same command goes on later

Every trial is a replay of all runs with other settings. What is best is told twice: on all runs, which flatters, and on
runs that were held out. `loopbreak config check FILE` shows the settings that were written.

Exit codes:
  0 done; 1 something could not be read or written; 2 used or configured wrongly; 130 interrupted")]
pub(crate) struct TuneArgs {
    /// Files, folders, or - for standard input
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Read all logs as this format, whatever their content says: see `loopbreak formats`
    #[arg(long, value_name = "NAME", value_parser = crate::formats::parse)]
    pub(crate) format: Option<loopbreak_trace::LogFormat>,
    #[command(flatten)]
    pub(crate) labels: LabelArgs,
    /// How many settings to try, or for how long, as in 500, 90s, 10m or 2h
    #[arg(long, value_name = "N|TIME", default_value = "200")]
    pub(crate) budget: TuneBudget,
    /// Into how many parts the runs are put: each is held out once
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..=100))]
    pub(crate) folds: u32,
    /// Another seed tries other settings and puts the runs into other parts
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// How many trials at a time; one a processor if absent. The result does not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) threads: Option<u32>,
    /// Write the best settings to this file, which must not be there
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite the file of --output
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
    /// Keep finished trials in this file, and go on with those it has
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// Print the result as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Print no progress and no warnings about lines
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) config: ConfigOptions,
}
