//! The arguments of `loopbreak allow`.

use clap::{Args, ValueEnum};

/// Allow a call that was refused.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak allow last               Allow the last refused call in its session
  loopbreak allow last --save        Allow it in all sessions of its project
  loopbreak allow last --run 5f2c    Consider only the session with this prefix

The next attempt is allowed. --save adds [[allow]] to loopbreak.toml and trusts
the file, unless it has more that needs your trust.
LOOPBREAK=off turns the guard off for a session.")]
pub(crate) struct AllowArgs {
    /// Call to allow
    #[arg(value_name = "CALL")]
    pub(super) which: CallChoice,
    /// Consider only the run whose session starts with this text
    #[arg(long, value_name = "RUN")]
    pub(super) run: Option<String>,
    /// Also add the rule to the configuration of the project
    #[arg(long)]
    pub(super) save: bool,
}

/// A call that can be allowed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum CallChoice {
    /// The last call that was refused or that a human was asked about
    Last,
}
