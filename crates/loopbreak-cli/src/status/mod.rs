//! `loopbreak status`: shows the runs that are guarded now.

mod args;
mod command;

pub(crate) use args::StatusArgs;
pub(crate) use command::run;
