//! The arguments of `loopbreak status`.

use clap::Args;

/// Show the runs that are currently guarded.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak status            The runs of the last hour
  loopbreak status --all      All stored runs
  loopbreak status --json     The runs of the last hour as JSON")]
pub(crate) struct StatusArgs {
    /// Also show runs that ended, or were not seen for more than an hour
    #[arg(long)]
    pub(super) all: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(super) json: bool,
}
