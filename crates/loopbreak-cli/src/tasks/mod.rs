//! `loopbreak tasks`: shows and changes the stored tasks of a roadmap, for people and agents.

mod args;
mod change;
mod command;
mod find;

pub(crate) use args::TasksArgs;
pub(crate) use command::run;
