//! The arguments of `loopbreak merge`.

use std::path::PathBuf;

use clap::Args;

/// Merge reports of several machines.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak analyze --json > report.json        On each machine
  loopbreak merge */report.json > all.json      One report of all of them

Runs stand side by side, and the totals are computed over all of them.

Exit codes:
  0 done; 1 a file cannot be read; 2 wrong usage, or a file is not a report")]
pub(crate) struct MergeArgs {
    /// Reports of `loopbreak analyze --json`; - for standard input
    #[arg(value_name = "REPORT", required = true)]
    pub(super) reports: Vec<PathBuf>,
}
