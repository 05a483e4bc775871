//! `loopbreak log`: shows what happened in a run.

mod args;
mod command;

pub(crate) use args::LogArgs;
pub(crate) use command::run;
