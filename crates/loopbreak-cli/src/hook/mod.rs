//! `loopbreak hook`: a guard for agents that ask a program before and after each tool call.

mod args;
mod command;

pub(crate) use args::HookArgs;
pub(crate) use command::{respond, run};
