//! `loopbreak run`: the loop runner. Starts an agent again and again, and ends it when it is stuck.

mod answer;
mod args;
mod capture;
mod child;
mod command;
mod course;
mod ending;
mod escalate;
mod group;
mod interrupt;
mod iteration;
mod keep;
mod notify;
mod prompt;
mod scratchpad;
mod settings;
mod trouble;

pub(crate) use args::RunArgs;
pub(crate) use command::run;
