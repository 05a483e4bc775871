//! `loopbreak analyze`.

mod args;
mod command;
mod observer;
mod output_files;

pub(crate) use args::AnalyzeArgs;
pub(crate) use command::run;
