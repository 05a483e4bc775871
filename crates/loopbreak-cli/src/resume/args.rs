//! The arguments of `loopbreak resume`.

use clap::Args;

/// Resume an agent that was paused.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak resume           The agent that is paused
  loopbreak resume 5f2c      The agent of the session with this prefix
  loopbreak resume --all     All agents that are paused

`loopbreak status` shows which agents are paused. An agent that was started in
a shell is in the background of its terminal afterwards: type `fg` there.

Exit codes:
  0 resumed; 1 it cannot be resumed, and why; 2 wrong usage, or no such run")]
pub(crate) struct ResumeArgs {
    /// Session of the run, or the start of it [default: the only one that is paused]
    #[arg(value_name = "RUN")]
    pub(super) run: Option<String>,
    /// Resume all agents that are paused
    #[arg(long, conflicts_with = "run")]
    pub(super) all: bool,
}
