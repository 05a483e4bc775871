//! `loopbreak analyze`.

mod analyze_observer;
mod args;
mod command;
mod output_files;
mod run_selection;

pub(crate) use args::AnalyzeArgs;
pub(crate) use command::run;
