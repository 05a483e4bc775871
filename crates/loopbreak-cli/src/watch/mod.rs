//! `loopbreak watch`: the same as `analyze`, live, as the logs grow.

mod args;
mod command;
mod document;
mod files;
mod log;
mod newcomers;
mod pieces;
mod rest;
mod runs;
mod show;
mod source;
mod tail;
mod told;

pub(crate) use args::WatchArgs;
pub(crate) use command::run;
