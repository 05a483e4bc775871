//! `loopbreak allow`: the user overrules the guard.

mod args;
mod command;
mod save_rule;

pub(crate) use args::AllowArgs;
pub(crate) use command::run;
