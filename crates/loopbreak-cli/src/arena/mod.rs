//! `loopbreak arena`: many games with Loopbreak, and the same games without.

mod args;
mod command;

pub(crate) use args::ArenaArgs;
pub(crate) use command::run;
