//! The arguments of `loopbreak status`.

use clap::Args;

/// Show the runs of the last hour, and what the guard did in them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak status            The runs of the last hour
  loopbreak status --all      All stored runs
  loopbreak status --json     The runs of the last hour as JSON

The first lines say whether the guard is off in this folder, and which part of
its configuration is not used because the file is not trusted.

A run is idle if it has not ended and had no event for 10 minutes: its agent
thinks, waits for a human, or was killed.")]
pub(crate) struct StatusArgs {
    /// Also show runs without an event in the last hour
    #[arg(long)]
    pub(super) all: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(super) json: bool,
}
