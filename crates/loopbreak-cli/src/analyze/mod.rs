//! `loopbreak analyze`.

mod analyze_observer;
mod args;
mod command;
mod compare;
mod output_files;
mod selection_options;

pub(crate) use args::AnalyzeArgs;
pub(crate) use command::run;
