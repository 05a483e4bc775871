//! `loopbreak tasks`: shows and changes the stored tasks of a roadmap, for people and agents.

mod args;
mod change;
mod find;
mod list;
mod show;

pub(crate) use args::{TasksArgs, run};
