//! `loopbreak analyze`.

mod command;
mod explain;
mod files;
mod log;
mod progress;
mod talk;

pub(crate) use command::{empty_folders, run, spare, tell};
pub(crate) use files::OutputFiles;
pub(crate) use log::{Manner, Outcome, analyze_with};
pub(crate) use progress::bar;
pub(crate) use talk::Talk;
