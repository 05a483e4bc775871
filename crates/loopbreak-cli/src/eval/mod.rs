//! `loopbreak eval`.

mod args;
mod command;
pub(crate) mod labels;
mod log;

pub(crate) use args::{EvalArgs, KnownArgs};
pub(crate) use command::{logs_of, run};
