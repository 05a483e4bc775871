//! `loopbreak statusline`: one line for the status line of Claude Code.

mod args;
mod command;

pub(crate) use args::StatuslineArgs;
pub(crate) use command::run;
