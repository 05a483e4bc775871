//! `loopbreak status`: shows the runs of the last hour.

mod args;
mod command;
mod folder_guard;

pub(crate) use args::StatusArgs;
pub(crate) use command::run;
