//! `loopbreak completions`: prints shell completions.

mod args;
mod command;

pub(crate) use args::CompletionsArgs;
pub(crate) use command::run;
