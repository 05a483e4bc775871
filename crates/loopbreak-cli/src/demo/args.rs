//! The arguments of `loopbreak demo`.

use clap::Args;

use crate::args::ConfigOptions;

/// Show the guard at work on a coding agent that gets stuck.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak demo                             Half a minute; any key skips
  loopbreak demo | cat                       All at once
  loopbreak demo --set mode=observe          Without interventions

Plays a recorded agent through the hook that would guard Claude Code. What the
guard says is what an agent would get with your settings. Nothing is set up,
stored or sent: the session is in a temporary folder, which is removed.

Exit codes:
  0 success; 1 failure; 2 wrong usage or configuration; 130 interrupted")]
pub(crate) struct DemoArgs {
    #[command(flatten)]
    pub(super) config: ConfigOptions,
}
