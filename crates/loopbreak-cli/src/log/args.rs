//! The arguments of `loopbreak log`.

use clap::Args;

use crate::value_parsers::stored_run;

/// Show what happened in a guarded run.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak log last             The run that had the last event
  loopbreak log 5f2c             The run whose session starts with these letters
  loopbreak log 5f2c --json      Its events, one JSON object per line

Subagents of the session are shown after it. Times are UTC.")]
pub(crate) struct LogArgs {
    /// Session of the run or the start of its name, or `last`: see `loopbreak status --all`
    #[arg(value_name = "RUN", value_parser = stored_run(), hide_possible_values = true)]
    pub(super) run: String,
    /// Print one JSON object per line
    #[arg(long)]
    pub(super) json: bool,
}
