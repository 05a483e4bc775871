//! `loopbreak hook`: a guard for agents that ask a program before and after each tool call.

mod agent_choice;
mod args;
mod command;
mod doctor;
mod flush;

pub(crate) use args::HookArgs;
pub(crate) use command::{respond, run};
