//! `loopbreak explain-step`: shows steps as the detectors see them.

mod args;
mod command;
mod explanation_text;

pub(crate) use args::ExplainStepArgs;
pub(crate) use command::run;
