//! `loopbreak status`: shows the runs of the last hour.

mod args;
mod command;

pub(crate) use args::StatusArgs;
pub(crate) use command::run;
