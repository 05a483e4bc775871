//! The arguments of `loopbreak pause`.

use clap::Args;

/// Pause the agent of a run.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak pause 5f2c       Pause the agent of the session with this prefix
  loopbreak resume 5f2c      Let it continue
  loopbreak watch --exec 'sh -c \"loopbreak pause $LOOPBREAK_RUN\"'

The process of the agent is known if hooks guard it, or if `loopbreak run`
started it. Only a process group that holds nothing but the agent is stopped.
Needs Linux.

Exit codes:
  0 paused; 1 it cannot be paused, and why; 2 wrong usage, or no such run")]
pub(crate) struct PauseArgs {
    /// Session of the run, or the start of it; see `loopbreak status`
    #[arg(value_name = "RUN")]
    pub(super) run: String,
    /// Reason, which `loopbreak status` shows
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(super) reason: String,
}
