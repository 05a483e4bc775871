//! `loopbreak man`: prints or writes the manual pages.

mod args;
mod command;
mod markdown;

pub(crate) use args::ManArgs;
pub(crate) use command::run;
