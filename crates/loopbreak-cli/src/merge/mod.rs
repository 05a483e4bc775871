//! `loopbreak merge`: merges reports.

mod args;
mod command;

pub(crate) use args::MergeArgs;
pub(crate) use command::run;
