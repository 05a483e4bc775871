//! The options of `loopbreak formats`.

use clap::Args;

/// List the log formats.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak formats
  loopbreak formats --json | jq -r '.formats[].name'")]
pub(crate) struct FormatsArgs {
    /// Print the list as JSON
    #[arg(long)]
    pub(super) json: bool,
}
