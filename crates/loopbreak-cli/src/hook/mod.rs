//! `loopbreak hook`: a guard for agents that ask a program before and after each call of a tool.
//!
//! Nothing here may harm the agent: whatever goes wrong, it goes on, and a line on standard error says why.

mod answer;
mod command;
mod dialect;
mod diff;
mod doctor;
mod ending;
mod event;
pub(crate) mod fault;
mod install;
mod json_text;
mod refuse;
mod respond;
mod result;
mod session;
mod settings;
mod texts;
mod transcript;

pub(crate) use command::{HookArgs, run};
pub(crate) use dialect::Dialect;
pub(crate) use respond::respond;
