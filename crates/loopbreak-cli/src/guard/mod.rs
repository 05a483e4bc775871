//! `loopbreak guard`: steps in, verdicts out, one JSON object per line.

mod args;
mod command;

pub(crate) use args::GuardArgs;
pub(crate) use command::run;
