//! `loopbreak eval`.

mod args;
mod command;
mod labels;
mod log;

pub(crate) use args::EvalArgs;
pub(crate) use command::run;
