//! `loopbreak demo`: a recorded coding agent, played through the hooks.

mod args;
mod command;
#[cfg(unix)]
mod key_reader;

pub(crate) use args::DemoArgs;
pub(crate) use command::run;
