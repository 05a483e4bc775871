//! `loopbreak run`: the loop runner. Starts an agent repeatedly, and ends it when it is stuck.

mod args;
mod command;
mod settings;
mod terminal_observer;

pub(crate) use args::RunArgs;
pub(crate) use command::run;
