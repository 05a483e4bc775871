//! `loopbreak analyze`.

mod command;
mod explain;
mod files;
mod finished;
mod log;
mod names;
mod page;
mod progress;
mod rounds;
mod runs;
mod spill;
mod talk;
mod trouble;

pub(crate) use command::{create, run, spare};
pub(crate) use files::OutputFiles;
pub(crate) use log::{Manner, Note, Outcome, analyze_with};
pub(crate) use progress::bar;
pub(crate) use talk::Talk;
pub(crate) use trouble::trouble;
