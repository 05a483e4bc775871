//! `loopbreak forget`: deletes what the service stores of a run.

mod args;
mod command;

pub(crate) use args::ForgetArgs;
pub(crate) use command::run;
