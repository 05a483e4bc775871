//! `loopbreak explain-step`: shows steps as the detectors see them.

mod args;
mod command;

pub(crate) use args::ExplainStepArgs;
pub(crate) use command::run;
