//! `loopbreak watch`: reports loops in logs while they are written.

mod args;
mod command;

pub(crate) use args::WatchArgs;
pub(crate) use command::run;
