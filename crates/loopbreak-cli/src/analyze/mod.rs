//! `loopbreak analyze`.

mod command;
mod log;
mod progress;
mod talk;

pub(crate) use command::run;
