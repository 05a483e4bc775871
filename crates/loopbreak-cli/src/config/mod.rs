//! `loopbreak config`: creates, checks and explains the configuration.

mod args;
mod check;
mod command;
mod explain;
mod init;
mod trust;

pub(crate) use args::ConfigArgs;
pub(crate) use command::run;
