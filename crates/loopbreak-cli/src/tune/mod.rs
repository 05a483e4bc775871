//! `loopbreak tune`.

mod args;
mod command;

pub(crate) use args::TuneArgs;
pub(crate) use command::run;
