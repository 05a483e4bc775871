//! `loopbreak tune`.

mod args;
mod budget;
mod command;
mod file;
mod logs;
mod search;
mod state;

pub(crate) use args::TuneArgs;
pub(crate) use command::run;
