//! `loopbreak watch`: the same as `analyze`, live, as the logs grow.

mod args;
mod command;
mod exec;
mod files;
mod notice;
mod reading;
mod runs;
mod show;
mod tail;
mod webhook;

pub(crate) use args::WatchArgs;
pub(crate) use command::run;
pub(crate) use exec::VARIABLES;
