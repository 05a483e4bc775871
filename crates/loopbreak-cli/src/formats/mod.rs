//! `loopbreak formats`: lists the supported log formats.

mod args;
mod command;

pub(crate) use args::FormatsArgs;
pub(crate) use command::run;
