//! `loopbreak serve`: starts the service.

mod args;
mod command;

pub(crate) use args::ServeArgs;
pub(crate) use command::run;
