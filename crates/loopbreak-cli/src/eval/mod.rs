//! `loopbreak eval`.

mod advice;
mod args;
mod command;

pub(crate) use args::EvalArgs;
pub(crate) use command::run;
