//! The options of `loopbreak convert`.

use std::path::PathBuf;

use clap::Args;
use loopbreak_trace::LogFormat;

use crate::value_parsers::{log_format, parse_size};

/// Convert logs to native steps.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak convert ~/.claude/projects -o steps.jsonl
  loopbreak convert session.json | jq .action.name
  loopbreak convert --format chat dump.json -o steps.jsonl

Exit codes:
  0 success; 1 a file could not be read or written; 2 wrong usage")]
pub(crate) struct ConvertArgs {
    /// Files, folders, or - for standard input
    #[arg(value_name = "PATH", required = true)]
    pub(super) paths: Vec<PathBuf>,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Read all logs as this format instead of detecting it; see `loopbreak formats`
    #[arg(long, value_name = "NAME", value_parser = log_format(), hide_possible_values = true)]
    pub(super) format: Option<LogFormat>,
    /// Unpack at most this much of each compressed log, such as 5G [default: 1G, or 100 times its size if that is more]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(super) max_unpacked: Option<u64>,
    /// Print no warnings about skipped lines
    #[arg(short, long, conflicts_with = "verbose")]
    pub(super) quiet: bool,
    /// Show every skipped line and ignored file
    #[arg(short, long)]
    pub(super) verbose: bool,
}
