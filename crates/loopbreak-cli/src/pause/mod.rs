//! `loopbreak pause`: stops an agent until it is resumed.

mod args;
mod command;

pub(crate) use args::PauseArgs;
pub(crate) use command::run;
