//! `cargo xtask attack`: makes the attacks of a review again, each in a home of its own, against a real program.
//!
//! - `run`: the chore
//! - `attack_arguments`: its command line
//! - `attack_lab`: the surroundings of all attacks, and the home of one
//! - `attack_rows`: what was seen, and the table
//! - `limited_command`: a program under limits of time, memory and open files
//! - `http_client`, `mcp_dialog`: clients of the MCP server
//! - `findings`: the attacks
//! - `short_form`: some of them as a test

mod attack_arguments;
mod attack_lab;
mod attack_rows;
mod findings;
mod http_client;
mod limited_command;
mod mcp_dialog;
mod run;
#[cfg(test)]
mod short_form;

pub(crate) use run::run;
