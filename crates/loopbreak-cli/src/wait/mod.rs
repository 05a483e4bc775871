//! `loopbreak wait`: one call in place of many polls.

mod args;
mod command;

pub(crate) use args::WaitArgs;
pub(crate) use command::run;
