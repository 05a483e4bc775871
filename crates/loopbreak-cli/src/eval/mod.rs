//! `loopbreak eval`.

mod advice;
mod args;
mod command;
mod split;

pub(crate) use args::EvalArgs;
pub(crate) use command::run;
